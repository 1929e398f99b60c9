import type { Fault } from './faults.ts';
import { type Report, runWorld } from './run.ts';
import type { WorldOptions } from './world.ts';

/** Whether a world still fails as before. */
type Fails = (options: WorldOptions) => Promise<boolean>;

/** Leaves out as many faults as possible: halves, quarters and so on down to single ones. */
const fewerFaults = async (options: WorldOptions, fails: Fails): Promise<WorldOptions> => {
  let { faults } = options;
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < faults.length;) {
      const without: Fault[] = [...faults.slice(0, at), ...faults.slice(at + size)];
      if (without.length < faults.length && (await fails({ ...options, faults: without }))) faults = without;
      else at += size;
    }
  }
  return { ...options, faults };
};

/** Smaller worlds, each in one respect. */
const smaller = (options: WorldOptions): readonly WorldOptions[] => {
  const { parks, devices, ms, replicas } = options;
  const one = Object.fromEntries(Object.keys(replicas).map((name) => [name, 1])) as typeof replicas;
  return [
    { ...options, replicas: one },
    { ...options, parks: 1 },
    { ...options, parks: Math.ceil(parks / 2) },
    { ...options, devices: Math.ceil(devices / 2) },
    { ...options, ms: Math.ceil(ms / 2) },
    { ...options, ms: Math.ceil(ms * 0.8) },
  ].filter((each) => JSON.stringify(each) !== JSON.stringify(options));
};

/**
 * Finds a smaller world with a violation of the same rule.
 * @param maxRuns number of worlds to try
 */
export const shrink = async (options: WorldOptions, report: Report, maxRuns: number): Promise<WorldOptions> => {
  const rules = new Set(report.violations.map(({ rule }) => rule));
  let runs = 0;
  const fails: Fails = async (candidate) => {
    if ((runs += 1) > maxRuns) return false;
    const { violations } = await runWorld(candidate);
    return violations.some(({ rule }) => rules.has(rule));
  };
  let found = await fewerFaults(options, fails);
  for (let [next, ...rest] = smaller(found); next;) {
    if (await fails(next)) {
      found = next;
      [next, ...rest] = smaller(found);
    } else [next, ...rest] = rest;
  }
  return fewerFaults(found, fails);
};

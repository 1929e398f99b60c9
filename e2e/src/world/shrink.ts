import type { Fault } from './faults.ts';
import type { AnyReport, WorldKind } from './kinds.ts';

/** Whether a world still fails as before. */
type Fails<Options> = (options: Options) => Promise<boolean>;

/** Leaves out as many faults as possible: halves, quarters and so on down to single ones. */
const fewerFaults = async <Options extends { readonly faults: readonly Fault[] }>(
  options: Options,
  fails: Fails<Options>,
): Promise<Options> => {
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

/**
 * Finds a smaller world with a violation of the same rule.
 * @param maxRuns number of worlds to try
 */
export const shrink = async <Options extends { readonly faults: readonly Fault[] }, Found extends AnyReport>(
  kind: WorldKind<Options, Found>,
  options: Options,
  report: Found,
  maxRuns: number,
): Promise<Options> => {
  const rules = new Set(report.violations.map(({ rule }) => rule));
  let runs = 0;
  const fails: Fails<Options> = async (candidate) => {
    if ((runs += 1) > maxRuns) return false;
    const { violations } = await kind.run(candidate);
    return violations.some(({ rule }) => rules.has(rule));
  };
  const smallerThan = (world: Options): readonly Options[] =>
    kind.smaller(world).filter((each) => JSON.stringify(each) !== JSON.stringify(world));
  let found = await fewerFaults(options, fails);
  for (let [next, ...rest] = smallerThan(found); next;) {
    if (await fails(next)) {
      found = next;
      [next, ...rest] = smallerThan(found);
    } else [next, ...rest] = rest;
  }
  return fewerFaults(found, fails);
};

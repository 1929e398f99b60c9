import { recordingShell } from '@ranger-relay/terminal/testing';
import { syncProgram } from 'sync-tool/src/program/program.ts';
import { thisMachine } from 'sync-tool/src/run/machine.ts';
import { drawFaults, type Fault } from '../faults.ts';
import { countsOf, type AnyReport, runSealed } from '../run.ts';
import { createSimulation, type Observers, pick } from '../simulation.ts';
import type { Violation } from '../truth.ts';
import { areaNames } from './bundles.ts';
import { settledViolations, undoneViolations } from './checks.ts';
import { drawSyncFault, healSync, strikeSync } from './faults.ts';
import {
  type OperatorStep,
  createSyncWorld,
  operatorNames,
  settings,
  type SyncWorld,
  type SyncWorldOptions,
} from './world.ts';

/** What happened in a world of the sync. */
export interface SyncReport extends AnyReport {
  readonly calls: number;
  readonly edits: number;
}

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** Longest time of an act, ms. */
const maxActMs = 3 * hourMs;
/** Until late writes have happened, and locks of other machines are old. */
const settleMs = 5 * minuteMs;

/** Runs the simulation until the work has ended. */
const until = async <T>({ simulation }: SyncWorld, work: Promise<T>, ms: number): Promise<T | undefined> => {
  let ended: { readonly value: T } | { readonly error: unknown } | undefined;
  work.then(
    (value) => (ended = { value }),
    (error: unknown) => (ended = { error }),
  );
  await simulation.run(simulation.clock.monotonic() + ms, () => ended !== undefined);
  if (ended && 'error' in ended) throw ended.error;
  return ended?.value;
};

const actAll = async ({ simulation, act }: SyncWorld, acts: readonly OperatorStep[]): Promise<void> => {
  for (const each of acts) {
    await simulation.clock.sleep(each.waitMs);
    await act(each);
  }
};

const live = async (options: SyncWorldOptions, observers: Observers, unhandled: Violation[]): Promise<SyncReport> => {
  const world = await createSyncWorld(options, observers);
  const { simulation, operators, truth, site } = world;
  const { clock } = simulation;
  const before = site.state();
  let isOver = false;
  for (const fault of options.faults) clock.after(fault.at, () => void (isOver || strikeSync(fault, world)));
  const actsOf = (name: string): OperatorStep[] => options.acts.filter(({ operator }) => operator === name);
  const story = Promise.all(operatorNames.map((name) => actAll(world, actsOf(name))));
  const isDone = (await until(world, story, options.acts.length * maxActMs)) !== undefined;
  isOver = true;
  world.stopEdits();
  await healSync(world);
  await simulation.run(clock.monotonic() + settleMs);
  truth.look();
  const violations: Violation[] = [...truth.violations];
  if (!isDone) violations.push({ rule: 'stuck', what: 'an operator still waits for a call to end', about: [] });
  else {
    violations.push(...((await until(world, settledViolations(world), maxActMs)) ?? []));
    if (options.setting !== 'nothing')
      violations.push(...((await until(world, undoneViolations(world, before), maxActMs)) ?? []));
  }
  const sum = (of: 'calls' | 'kills'): number => operators.reduce((total, { counts }) => total + counts[of], 0);
  return {
    seed: options.seed,
    hash: simulation.hash(),
    steps: simulation.steps(),
    simulatedMs: clock.monotonic(),
    calls: sum('calls'),
    kills: sum('kills'),
    edits: truth.edits(),
    faults: countsOf(options.faults.map(({ kind }) => kind)),
    violations: [...violations, ...unhandled],
  };
};

/** Runs a world of the sync to its end and checks every invariant. */
export const runSyncWorld = async (options: SyncWorldOptions, observers: Observers = {}): Promise<SyncReport> => {
  // Commands are loaded when they are called first, which takes real time.
  await syncProgram({ ...recordingShell(), machine: thisMachine() });
  return runSealed(options.seed, (unhandled) => live(options, observers, unhandled));
};

const withVerb = (step: OperatorStep, verb: OperatorStep['verb']): OperatorStep => ({ ...step, verb });

/** Draws a world of the sync from a seed. */
export const drawSyncWorld = (seed: number, change: Partial<SyncWorldOptions> = {}): SyncWorldOptions => {
  const random = createSimulation(seed).chance('sync world');
  const between = (least: number, most: number): number => least + Math.floor(random.next() * (most - least + 1));
  const verbOf = (): OperatorStep['verb'] =>
    pick(random, [
      'run',
      'run',
      'run',
      'plan',
      'apply',
      'apply',
      'resume',
      'resume',
      'undo',
      'undo approved',
      'verify',
      'export',
    ] as const);
  const stepOf = (operator: string): OperatorStep => ({
    operator,
    area: pick(random, areaNames),
    verb: verbOf(),
    waitMs: between(1, 40) * 1_000,
  });
  /** Mostly an operator makes the plan that they apply. */
  const withPlans = (step: OperatorStep): OperatorStep[] => {
    if (step.verb !== 'apply') return [step];
    const dice = random.next();
    if (dice < 0.1) return [step];
    return [withVerb(step, 'plan'), ...(dice < 0.4 ? [withVerb(step, 'replan')] : []), step];
  };
  const acts = operatorNames.flatMap((operator) =>
    Array.from({ length: between(3, 7) }, () => stepOf(operator)).flatMap(withPlans),
  );
  const latencyMs = Math.floor(random.next() ** 2 * 2_000);
  const drawFault = (chance: typeof random, at: number): Fault => drawSyncFault(chance, at, operatorNames);
  const faults = drawFaults(random, acts.length * minuteMs, between(3, 60) * 1_000, drawFault);
  return {
    seed,
    setting: pick(random, settings),
    acts,
    faults,
    latencyMs,
    editShare: random.next() ** 2 * 0.2,
    editEveryMs: between(2, 60) * 1_000,
    ...change,
  };
};

import { type PlannedChange, stepOf, type SyncPlan, type SyncStep, syncSteps } from '@ranger-relay/contracts';
import { isRelayError, type RelayError, toRelayError } from '@ranger-relay/errors';
import { mapWithConcurrency } from '@ranger-relay/runtime';
import { type ApplyContext, resourceOf, type StepRun } from '../resources/index.ts';
import { countNotTried, countOf, endsRun, endsStep, newTally, type Tally, weightOf } from './tally.ts';

/** Receives the progress of a run. */
export interface RunListener {
  /** The record exists on disk; the run has not yet written to the site, or a resumed run has not yet written more. */
  onRecord?(path: string): void;
  onStep?(step: SyncStep, total: number): void;
  onDone?(change: PlannedChange): void;
  /** A change failed, or the whole step when `change` is undefined. */
  onFailed?(step: SyncStep, error: RelayError, change?: PlannedChange): void;
}

/** The dependencies of carrying out a plan. */
export interface ExecuteDependencies extends ApplyContext {
  readonly listener: RunListener;
}

/** The result of a run. */
export interface Executed {
  readonly tally: Tally;
  readonly failed: ReadonlyMap<SyncStep, RelayError>;
  readonly interrupted: boolean;
}

/** Concurrent writes. Exceeds the limit of the site client, so that the site stays busy while some writes wait for the disk. */
const maxInFlight = 12;

/** A running step and its failure. */
interface StepUnderWay extends StepRun<PlannedChange['kind']> {
  /** The failure that ended the step, or else its first failure. */
  failure(): RelayError | undefined;
}

const beginStep = (parts: ExecuteDependencies, step: SyncStep, count: Tally[SyncStep]): StepUnderWay => {
  let [first, stopped]: [RelayError | undefined, RelayError | undefined] = [undefined, undefined];
  const isOver = (): boolean => stopped !== undefined || parts.signal.aborted;
  const fail = (error: unknown, change?: PlannedChange): void => {
    const reason = toRelayError(error);
    // The interruption caused this failure, not the site: the journal records how far the write came.
    if (parts.signal.aborted && isRelayError(reason, 'site_unavailable')) return;
    if (change) count.failed += weightOf(change);
    first ??= reason;
    if (endsStep(reason)) stopped ??= reason;
    parts.listener.onFailed?.(step, reason, change);
  };
  const applyOne = async (change: PlannedChange): Promise<boolean> => {
    try {
      const done = await resourceOf(change).apply(parts, change);
      count[done === 'done' ? countOf(change) : 'unchanged'] += weightOf(change);
      parts.listener.onDone?.(change);
      return done === 'done';
    } catch (error) {
      fail(error, change);
      return false;
    }
  };
  return {
    context: parts,
    count,
    isOver,
    applyOne,
    async applyEach(changes) {
      await mapWithConcurrency(changes, maxInFlight, async (change) => isOver() || applyOne(change));
    },
    fail,
    failure: () => stopped ?? first,
  };
};

const runStep = async (step: StepUnderWay, changes: readonly PlannedChange[]): Promise<RelayError | undefined> => {
  const [change] = changes;
  const applyAll = change && resourceOf(change).applyAll;
  try {
    await (applyAll ? applyAll(step, changes) : step.applyEach(changes));
  } catch (error) {
    step.fail(error);
  }
  return step.failure();
};

/** Carries out a plan step by step. Later steps run even if a step fails, unless the failure ends the run. Never throws. */
export const execute = async (parts: ExecuteDependencies, plan: SyncPlan): Promise<Executed> => {
  const tally = newTally(plan);
  const failed = new Map<SyncStep, RelayError>();
  const begin = (step: SyncStep): StepUnderWay => beginStep(parts, step, tally[step]);
  for (const step of syncSteps) {
    const changes = plan.changes
      .filter((change) => stepOf(change) === step)
      .flatMap((change): readonly PlannedChange[] => resourceOf(change).split?.(parts, change) ?? [change]);
    if (changes.length === 0 || parts.signal.aborted) continue;
    parts.listener.onStep?.(step, changes.length);
    const failure = await runStep(begin(step), changes);
    if (!failure) continue;
    failed.set(step, failure);
    if (endsRun(failure)) break;
  }
  for (const change of plan.changes) {
    const { recheck } = resourceOf(change);
    const step = stepOf(change);
    if (!recheck || failed.has(step) || parts.signal.aborted || [...failed.values()].some(endsRun)) continue;
    const run = begin(step);
    await recheck(parts, change).catch((error: unknown) => run.fail(error));
    const failure = run.failure();
    if (failure) failed.set(step, failure);
  }
  countNotTried(tally, plan);
  return { tally, failed, interrupted: parts.signal.aborted };
};

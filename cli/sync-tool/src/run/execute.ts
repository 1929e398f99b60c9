import { stepOf, syncSteps, type PlannedChange, type SyncPlan, type SyncStep } from '@ranger-relay/contracts';
import { isRelayError, toRelayError, type RelayError } from '@ranger-relay/errors';
import { inPool } from './pool.ts';
import { writeChoice } from './steps/choice.ts';
import { writeForm, type FormParts } from './steps/form.ts';
import type { Done } from './steps/parts.ts';
import { writePatrolType } from './steps/patrol-type.ts';
import { writeRoster } from './steps/roster.ts';
import { checkVisible, writeSubject } from './steps/subject.ts';
import { countOf, newTally, weightOf, type StepCount, type Tally } from './tally.ts';

/** Hears how a run goes on. */
export interface RunListener {
  onStep?(step: SyncStep, total: number): void;
  onDone?(change: PlannedChange): void;
  /** A record failed, or with no change named the whole step. */
  onFailed?(step: SyncStep, error: RelayError, change?: PlannedChange): void;
}

/** What carrying out a plan needs. */
export interface ExecuteParts extends FormParts {
  readonly listener: RunListener;
  /** Aborted when the run is to end: writes in flight are finished, no other is begun. */
  readonly signal: AbortSignal;
}

/** How a run went. */
export interface Executed {
  readonly tally: Tally;
  readonly failed: ReadonlyMap<SyncStep, RelayError>;
  readonly interrupted: boolean;
}

const inFlight = 4;

const endsRun = (error: RelayError): boolean => isRelayError(error, 'site_unauthorized', 'site_redirected', 'internal');

/** A record that the site refuses is one record's failure; everything else will not be better with the next record. */
const endsStep = (error: RelayError): boolean =>
  !isRelayError(error, 'site_refused', 'site_conflict', 'site_not_found');

const perform = (parts: ExecuteParts, change: PlannedChange): Promise<Done> => {
  switch (change.kind) {
    case 'patrol_type':
      return writePatrolType(parts, change);
    case 'universal_patrol_fields':
      return writeForm(parts, change);
    case 'choice':
      return writeChoice(parts, change);
    case 'subject':
      return writeSubject(parts, change);
    case 'roster':
      return writeRoster(parts, change);
  }
};

/** The first subject that is created goes alone: whether the token can see it decides about all others. */
const firstAlone = (changes: readonly PlannedChange[]): readonly (readonly PlannedChange[])[] => {
  const first = changes.find(({ kind, action }) => kind === 'subject' && action === 'created');
  return first ? [[first], changes.filter((change) => change !== first)] : [changes];
};

/** Carries out one step. @throws RelayError when the run cannot go on */
const runStep = async (
  parts: ExecuteParts,
  step: SyncStep,
  changes: readonly PlannedChange[],
  count: StepCount,
): Promise<RelayError | undefined> => {
  const { listener, signal } = parts;
  let failure: RelayError | undefined;

  const one = async (change: PlannedChange, isFirstSubject: boolean): Promise<void> => {
    try {
      const done = await perform(parts, change);
      if (done === 'done') count[countOf(change)] += weightOf(change);
      else count.unchanged += 1;
      listener.onDone?.(change);
      if (isFirstSubject && change.kind === 'subject' && change.action === 'created') await checkVisible(parts, change);
    } catch (error) {
      const reason = toRelayError(error);
      count.failed += weightOf(change);
      failure ??= reason;
      if (endsRun(reason)) throw reason;
      if (endsStep(reason) || isRelayError(reason, 'subject_not_visible')) stopped ??= reason;
      listener.onFailed?.(step, reason, change);
    }
  };
  let stopped: RelayError | undefined;
  for (const group of firstAlone(changes)) {
    const alone = group.length === 1;
    await inPool(
      group,
      inFlight,
      (change) => one(change, alone),
      () => stopped !== undefined || signal.aborted,
    );
  }
  return stopped ?? failure;
};

/** Carries out a plan, step by step; a step that fails keeps none of the later ones from running. */
export const execute = async (parts: ExecuteParts, plan: SyncPlan): Promise<Executed> => {
  const tally = newTally(plan);
  const failed = new Map<SyncStep, RelayError>();
  for (const step of syncSteps) {
    const changes = plan.changes.filter((change) => stepOf(change) === step);
    if (changes.length === 0 || parts.signal.aborted) continue;
    parts.listener.onStep?.(step, changes.length);
    try {
      const failure = await runStep(parts, step, changes, tally[step]);
      if (failure) failed.set(step, failure);
    } catch (error) {
      failed.set(step, toRelayError(error));
      parts.listener.onFailed?.(step, toRelayError(error));
      break;
    }
  }
  return { tally, failed, interrupted: parts.signal.aborted };
};

import {
  stepOf,
  syncSteps,
  type PlannedChange,
  type SyncPlan,
  type SyncStep,
  type SyncStepCount,
} from '@ranger-relay/contracts';
import { isRelayError, toRelayError, type RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Subject } from '@ranger-relay/site';
import { managedBy } from '../desired/subjects.ts';
import { memberOf } from '../plan/match.ts';
import { inPool } from './pool.ts';
import { writeChoice } from './steps/choice.ts';
import { checkForm, writeForm, type FormParts } from './steps/form.ts';
import type { ChangeOf, Done } from './steps/parts.ts';
import { writePatrolType } from './steps/patrol-type.ts';
import { rosterCalls, writeRoster } from './steps/roster.ts';
import { checkVisible, writeSubject } from './steps/subject.ts';
import { endsRun, endsStep } from './stops.ts';
import { countNotTried, countOf, newTally, weightOf, type Tally } from './tally.ts';

/** Hears how a run goes on. */
export interface RunListener {
  /** The record is laid down; nothing was written to the site yet, or nothing more. */
  onRecord?(path: string): void;
  onStep?(step: SyncStep, total: number): void;
  onDone?(change: PlannedChange): void;
  /** A record failed, or with no change named the whole step. */
  onFailed?(step: SyncStep, error: RelayError, change?: PlannedChange): void;
}

/** What carrying out a plan needs. */
export interface ExecuteParts extends FormParts {
  readonly listener: RunListener;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborted when the run is to end: writes in flight are finished, no other is begun. */
  readonly signal: AbortSignal;
}

/** How a run went. */
export interface Executed {
  readonly tally: Tally;
  readonly failed: ReadonlyMap<SyncStep, RelayError>;
  readonly interrupted: boolean;
}

/** More than the site client lets through at a time: while some wait for the disk, others keep the site busy. */
const begun = 12;

/** One step under way. */
interface StepRun {
  readonly parts: ExecuteParts;
  readonly step: SyncStep;
  readonly count: SyncStepCount;
  /** The first failure, and the first one after which nothing more of the step is begun. */
  failure?: RelayError;
  stopped?: RelayError;
}

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

const isOver = ({ parts, stopped }: StepRun): boolean => stopped !== undefined || parts.signal.aborted;

/** Without a change the step itself failed, and no record of it. */
const fail = (run: StepRun, error: unknown, change?: PlannedChange): void => {
  const { parts, step, count } = run;
  const reason = toRelayError(error);
  // Cut off by the interruption, not by the site: the journal says how far it came.
  if (parts.signal.aborted && isRelayError(reason, 'site_unavailable')) return;
  if (change) count.failed += weightOf(change);
  run.failure ??= reason;
  if (endsStep(reason)) run.stopped ??= reason;
  parts.listener.onFailed?.(step, reason, change);
};

/** @returns whether it was carried out */
const one = async (run: StepRun, change: PlannedChange): Promise<boolean> => {
  const { parts, count } = run;
  try {
    const done = await perform(parts, change);
    count[done === 'done' ? countOf(change) : 'unchanged'] += weightOf(change);
    parts.listener.onDone?.(change);
    return done === 'done';
  } catch (error) {
    fail(run, error, change);
    return false;
  }
};

/** Subjects are created one by one until the token has seen one of them: that decides about all others. @returns what is left */
const firstSubject = async (run: StepRun, changes: readonly PlannedChange[]): Promise<readonly PlannedChange[]> => {
  const tried = new Set<PlannedChange>();
  for (const change of changes) {
    if (change.kind !== 'subject' || change.action !== 'created' || isOver(run)) continue;
    tried.add(change);
    if (!(await one(run, change))) continue;
    await checkVisible(run.parts, change).catch((error: unknown) => fail(run, error));
    break;
  }
  return changes.filter((change) => !tried.has(change));
};

/** Ids by uuid of the employee. */
export const idsOf = (byMember: ReadonlyMap<string, Subject>): Map<string, string> =>
  new Map([...byMember].map(([member, { id }]) => [member, id]));

/** A write whose gateway gave up on it is carried out within seconds, or never. */
const lateMs = 10_000;

/**
 * A subject that was sent again after a lost answer may be there twice: the one in the record stays, the other one is written down as made by
 * this run, which it is, and made inactive.
 */
const deactivateSecond = async ({ parts }: StepRun, before: ReadonlySet<string>): Promise<void> => {
  const { site, writes, subjects, maybeTwice, clock, signal } = parts;
  if (maybeTwice.size === 0) return;
  await clock.sleep(lateMs, signal).catch(() => undefined);
  const now = await site.subjects();
  const active = new Set(now.flatMap(({ id, is_active }) => (is_active ? [id] : [])));
  for (const subject of now) {
    const { id, name, subject_subtype, is_active, additional } = subject;
    const member = memberOf(subject) ?? '';
    const kept = maybeTwice.has(member) ? subjects.get(member) : undefined;
    if (kept === undefined || id === kept || before.has(id) || additional['ext_managed_by'] !== managedBy) continue;
    if (!active.has(id) || !active.has(kept)) continue;
    const made = { kind: 'subject', id: '', member, action: 'created' } as const;
    await writes.write({ ...made, written: { name, subject_subtype, is_active, additional } }, async () => id);
    const [was, written] = [{ is_active: true }, { is_active: false }];
    await writes.write({ ...made, action: 'updated', id, before: was, written }, async () => {
      await site.patchSubject(subject, written);
      return null;
    });
  }
};

/** Works on the changes of a step, the first new subject by itself. */
const runChanges = async (run: StepRun, changes: readonly PlannedChange[]): Promise<void> => {
  const rest = await firstSubject(run, changes);
  await inPool(
    rest,
    begun,
    async (change) => void (await one(run, change)),
    () => isOver(run),
  );
};

/** The subjects are listed once more: what was read before the other steps may be old by now. */
const runSubjects = async (run: StepRun, planned: readonly ChangeOf<'subject'>[]): Promise<void> => {
  const { parts, count } = run;
  const present = await parts.site.subjects();
  const { changes, byMember } = parts.course.subjects(planned, present);
  for (const [member, id] of idsOf(byMember)) parts.subjects.set(member, id);
  count.unchanged += Math.max(0, planned.length - changes.length);
  parts.fresh.expect(changes.flatMap((change) => (change.action === 'updated' ? [change.id] : [])));
  await runChanges(run, changes);
  await deactivateSecond(run, new Set(present.map(({ id }) => id)));
};

const isSubject = (change: PlannedChange): change is ChangeOf<'subject'> => change.kind === 'subject';

const runStep = async (run: StepRun, changes: readonly PlannedChange[]): Promise<RelayError | undefined> => {
  try {
    await (run.step === 'subjects' ? runSubjects(run, changes.filter(isSubject)) : runChanges(run, changes));
  } catch (error) {
    fail(run, error);
  }
  return run.stopped ?? run.failure;
};

/** Whoever read the form before ours was there may write without it at any time of the run. */
const runFormCheck = async (
  run: StepRun,
  change: ChangeOf<'universal_patrol_fields'>,
): Promise<RelayError | undefined> => {
  await checkForm(run.parts, change).catch((error: unknown) => fail(run, error));
  return run.stopped ?? run.failure;
};

/** Carries out a plan, step by step; a step that fails keeps none of the later ones from running. Nothing is thrown. */
export const execute = async (parts: ExecuteParts, plan: SyncPlan): Promise<Executed> => {
  const tally = newTally(plan);
  const failed = new Map<SyncStep, RelayError>();
  const runOf = (step: SyncStep): StepRun => ({ parts, step, count: tally[step] });
  for (const step of syncSteps) {
    const planned = plan.changes.filter((change) => stepOf(change) === step);
    const changes = planned.flatMap((change): PlannedChange[] =>
      change.kind === 'roster' ? rosterCalls(change, parts.subjects) : [change],
    );
    if (changes.length === 0 || parts.signal.aborted) continue;
    parts.listener.onStep?.(step, changes.length);
    const failure = await runStep(runOf(step), changes);
    if (!failure) continue;
    failed.set(step, failure);
    if (endsRun(failure)) break;
  }
  const form = plan.changes.find((change) => change.kind === 'universal_patrol_fields');
  if (form && !failed.has('universal_patrol_fields') && !parts.signal.aborted && ![...failed.values()].some(endsRun)) {
    const failure = await runFormCheck(runOf('universal_patrol_fields'), form);
    if (failure) failed.set('universal_patrol_fields', failure);
  }
  countNotTried(tally, plan);
  return { tally, failed, interrupted: parts.signal.aborted };
};

import { basename, dirname, resolve } from 'node:path';
import {
  type PlannedChange,
  stepOf,
  type SyncKind,
  type SyncPlan,
  type SyncStep,
  syncSteps,
  type RunRecord,
} from '@ranger-relay/contracts';
import { isRelayError, type RelayError, toRelayError } from '@ranger-relay/errors';
import { type Clock, mapWithConcurrency, pause } from '@ranger-relay/runtime';
import type { FormDocument, Site } from '@ranger-relay/site';
import type { Matches } from '../plan/match.ts';
import type { SubjectsBeside } from '../plan/subjects.ts';
import {
  type Applied,
  type ApplyContext,
  maxNamed,
  objectOf,
  resourceOf,
  skipOf,
  type StepRun,
} from '../resources/index.ts';
import { lateMs } from '../resources/object.ts';
import { idsOf } from '../resources/subject.ts';
import { freshOf } from './fresh.ts';
import { openJournal, readJournal } from './journal.ts';
import { areNeedsRecorded, interruptedRecord } from './known-records.ts';
import type { Disk } from './machine.ts';
import { finishRecord, keepFormBefore, loadRecord, openRecord, type RunSources } from './record.ts';
import { isPending, resolvePendingWrites, settlePendingWrites } from './resolve-pending-writes.ts';
import { countNotTried, countOf, endsRun, endsStep, newTally, plannedTally, type Tally, weightOf } from './tally.ts';

/** Receives the progress of a run. */
export interface RunListener {
  /** The record exists on disk; the run has not yet written to the site, and waits. */
  onRecord?(path: string): Promise<void>;
  onStep?(step: SyncStep, total: number): void;
  /** A change was written, or failed. */
  onTried?(): void;
  /** The step has ended: once for each reason for which changes of it, or the whole step, failed. */
  onFailed?(step: SyncStep, failure: Failure): void;
}

/** The dependencies of executing a plan. */
interface ExecuteDependencies extends ApplyContext {
  readonly listener: RunListener;
}

/** Changes of a step that failed for the same reason. */
export interface Failure {
  /** The error of the first. */
  readonly error: RelayError;
  readonly count: number;
  /** The first of them, as the plan prints them; none when the reason is the site itself. */
  readonly objects: readonly string[];
}

/** The result of a run. */
export interface Executed {
  readonly tally: Tally;
  /** The failure that ended each step, or else its first failure. */
  readonly failed: ReadonlyMap<SyncStep, RelayError>;
  readonly failures: ReadonlyMap<SyncStep, readonly Failure[]>;
  readonly interrupted: boolean;
}

/** Concurrent writes. Exceeds the limit of the site client, so that the site stays busy while some writes wait for the disk. */
const maxInFlight = 12;

/** A running step and its failure. */
interface StepUnderWay extends StepRun<SyncKind> {
  /** The failure that ended the step, or else its first failure. */
  failure(): RelayError | undefined;
  failures(): readonly Failure[];
}

/** Equal for errors that say the same of different records. */
const reasonOf = ({ code, details }: RelayError): string => JSON.stringify([code, { ...details, target: null }]);

/** Collects failures by their reason. */
const collectFailures = () => {
  const byReason = new Map<string, { error: RelayError; count: number; objects: string[] }>();
  return {
    add(error: RelayError, change: PlannedChange | undefined): void {
      const reason = reasonOf(error);
      const failure = byReason.get(reason) ?? { error, count: 0, objects: [] };
      byReason.set(reason, failure);
      failure.count += 1;
      const isOfObject = !endsStep(error) || isRelayError(error, 'site_forbidden');
      if (change && isOfObject && failure.objects.length < maxNamed) failure.objects.push(objectOf(change));
    },
    all: (): readonly Failure[] => [...byReason.values()],
  };
};

const beginStep = (parts: ExecuteDependencies, step: SyncStep, count: Tally[SyncStep]): StepUnderWay => {
  let [first, stopped]: [RelayError | undefined, RelayError | undefined] = [undefined, undefined];
  const failures = collectFailures();
  const isOver = (): boolean => stopped !== undefined || parts.signal.aborted;
  const fail = (error: unknown, change?: PlannedChange): void => {
    const reason = toRelayError(error);
    // The interruption caused this failure, not the site: the journal records how far the write came.
    if (parts.signal.aborted && isRelayError(reason, 'site_unavailable')) return;
    if (change) count.failed += weightOf(change);
    first ??= reason;
    if (endsStep(reason)) stopped ??= reason;
    failures.add(reason, change);
    if (change) parts.listener.onTried?.();
  };
  const applyOne = async (change: PlannedChange): Promise<Applied | 'failed'> => {
    try {
      const applied = await resourceOf(change).apply(parts, change);
      if (applied === 'outdated') return applied;
      count[applied === 'done' ? countOf(change) : 'unchanged'] += weightOf(change);
      parts.listener.onTried?.();
      return applied;
    } catch (error) {
      fail(error, change);
      return 'failed';
    }
  };
  return {
    context: parts,
    count,
    isOver,
    applyOne,
    async applyEach(changes) {
      const outdated = new Set<PlannedChange>();
      await mapWithConcurrency(changes, maxInFlight, async (change) => {
        if (!isOver() && (await applyOne(change)) === 'outdated') outdated.add(change);
      });
      return changes.filter((change) => outdated.has(change));
    },
    fail,
    failure: () => stopped ?? first,
    failures: failures.all,
  };
};

const runStep = async (step: StepUnderWay, changes: readonly PlannedChange[]): Promise<void> => {
  const [change] = changes;
  const applyAll = change && resourceOf(change).applyAll;
  try {
    await (applyAll ? applyAll(step, changes) : step.applyEach(changes));
  } catch (error) {
    step.fail(error);
  }
};

/** Executes a plan step by step. Later steps run even if a step fails, unless the failure ends the run. Never throws. */
export const execute = async (parts: ExecuteDependencies, plan: SyncPlan): Promise<Executed> => {
  const tally = newTally(plan);
  const failed = new Map<SyncStep, RelayError>();
  const failures = new Map<SyncStep, readonly Failure[]>();
  const begin = (step: SyncStep): StepUnderWay => beginStep(parts, step, tally[step]);
  const end = (step: SyncStep, run: StepUnderWay): void => {
    const failure = run.failure();
    if (!failure) return;
    failed.set(step, failure);
    failures.set(step, run.failures());
    for (const each of run.failures()) parts.listener.onFailed?.(step, each);
  };
  for (const step of syncSteps) {
    const changes = plan.changes
      .filter((change) => stepOf(change) === step)
      .flatMap((change): readonly PlannedChange[] => resourceOf(change).split?.(parts, change) ?? [change]);
    if (changes.length === 0 || parts.signal.aborted) continue;
    parts.listener.onStep?.(step, changes.length);
    const run = begin(step);
    await runStep(run, changes);
    end(step, run);
    const failure = failed.get(step);
    if (failure && endsRun(failure)) break;
  }
  for (const change of plan.changes) {
    const { recheck } = resourceOf(change);
    const step = stepOf(change);
    if (!recheck || failed.has(step) || parts.signal.aborted || [...failed.values()].some(endsRun)) continue;
    const run = begin(step);
    await recheck(parts, change).catch((error: unknown) => run.fail(error));
    end(step, run);
  }
  countNotTried(tally, plan);
  return { tally, failed, failures, interrupted: parts.signal.aborted };
};

/** What a run applies, where it leaves its record, and what it needs to write to the site. */
export interface RunOptions {
  readonly site: Site;
  readonly disk: Disk;
  /** Folder of the checklist and the records. */
  readonly folder: string;
  readonly clock: Clock;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
  readonly plan: SyncPlan;
  /** Subjects of the site by the uuid of their employee. */
  readonly matches: Matches;
  readonly beside: SubjectsBeside;
  readonly sources: RunSources;
}

/** The result of a run and the path of its record; null when the run wrote nothing. */
export interface RunResult extends Executed {
  readonly record: string | null;
  /** Name of the record of the run with which this one went on. */
  readonly continues?: string | undefined;
  /** Why the record could not be finished; its journal has all writes. */
  readonly unsaved?: RelayError;
}

/** Record of the run of the area that has not come to its end, after this one: of this one, or of the one before. */
export const unfinishedAfter = (
  { record, interrupted, unsaved }: RunResult,
  beside: Pick<SubjectsBeside, 'unfinished'>,
): string | undefined => {
  if (record === null) return interruptedRecord(beside);
  return interrupted || unsaved ? record : undefined;
};

/** The result of a call that wrote nothing: a dry run, a refused run, or a plan without changes. */
export const nothingRan = (tally: Tally, failed: Executed['failed'] = new Map()): RunResult => ({
  tally,
  failed,
  failures: new Map(),
  interrupted: false,
  record: null,
});

/** A run is complete when all steps were planned, or are skipped for a reason that is no failure, and all changes were written. */
const statusOf = ({ interrupted, failed }: Executed, { steps }: SyncPlan): RunRecord['status'] => {
  if (interrupted) return 'interrupted';
  const isPlanned = Object.values(steps).every(({ skipped }) => skipped === null || skipOf(skipped));
  return failed.size === 0 && isPlanned ? 'complete' : 'failed';
};

/** Whether the newest record of the area already tells all that this run would: that it is complete, and what the area relies on. */
const isRecorded = (beside: SubjectsBeside, { needs }: SyncPlan): boolean =>
  beside.unfinished === undefined && areNeedsRecorded(beside, needs);

/** The unfinished run with which this one goes on: of the same bundle, with its record in the same folder. */
const continuedBy = ({ folder, plan, beside: { unfinished } }: RunOptions): string | undefined =>
  unfinished?.bundle === plan.bundle.sha256 && dirname(unfinished.path) === resolve(folder)
    ? basename(unfinished.path)
    : undefined;

/** Finds out which writes of the unfinished run before have happened, as long as no later run has made the same. */
const settleUnfinished = async ({ site, disk, beside: { unfinished } }: RunOptions): Promise<void> => {
  if (unfinished === undefined) return;
  const { entries, files } = await loadRecord(disk, unfinished.path);
  await settlePendingWrites(site, entries, files);
};

/**
 * Applies a plan, and writes record and journal beside the checklist. What differs from the plan ends the run with `plan_outdated`. The caller
 * holds the lock of the site.
 */
export const applyPlan = async (options: RunOptions): Promise<RunResult> => {
  const { site, disk, folder, clock, listener, signal, plan, matches, beside, sources } = options;
  const isKnown = isRecorded(beside, plan);
  if (plan.changes.length === 0 && isKnown) return nothingRan(plannedTally(plan));
  await settleUnfinished(options);
  const continues = continuedBy(options);
  const open = await openRecord(disk, folder, plan, clock.now(), { ...sources, ...(continues ? { continues } : {}) });
  const { files } = open;
  await listener.onRecord?.(files.record);
  const journal = await openJournal(files);
  const context = {
    site,
    clock,
    listener,
    signal,
    beside,
    writes: journal,
    fresh: freshOf(site, clock),
    subjects: idsOf(matches.byMember),
    maybeTwice: new Set<string>(),
    keepBefore: (document: FormDocument) => keepFormBefore(files, document),
  };
  const executed = await execute(context, plan).finally(() => journal.close());
  const finished_at = new Date(clock.now()).toISOString();
  const written = readJournal(await disk.readFile(files.journal, 'utf8'));
  if (written.some(isPending)) await pause(clock, lateMs, signal);
  // If the site cannot be read, the record lists writes with an unknown outcome as if they had happened.
  const entries = await resolvePendingWrites(site, written, files).catch(() => written);
  try {
    const status = statusOf(executed, plan);
    const stays = await finishRecord(
      open,
      { status, finished_at },
      { entries, tells: status === 'complete' && !isKnown },
    );
    return { ...executed, record: stays ? files.record : null, continues };
  } catch (error) {
    if (!isRelayError(error, 'output_not_writable')) throw error;
    return { ...executed, record: files.record, continues, unsaved: error };
  }
};

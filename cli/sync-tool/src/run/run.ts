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
import { type ApplyContext, maxNamed, objectOf, resourceOf, type StepRun } from '../resources/index.ts';
import { lateMs } from '../resources/object.ts';
import type { Applied, Course } from '../resources/resource.ts';
import { idsOf } from '../resources/subject.ts';
import { freshOf } from './fresh.ts';
import type { Disk } from './machine.ts';
import { overtakenWarnings } from '../plan/overwrites.ts';
import { changesOf, createWrites, openJournal, readJournal } from './journal.ts';
import { beginRecord, type Begun, finishRecord, keepFormBefore, type RunSources } from './record.ts';
import { isPending, resolvePendingWrites } from './resolve-pending-writes.ts';
import { countNotTried, countOf, endsRun, endsStep, newTally, type Tally, weightOf } from './tally.ts';

/** Receives the progress of a run. */
export interface RunListener {
  /** The record exists on disk; the run has not yet written to the site, or a resumed run has not yet written more. */
  onRecord?(path: string): void;
  onStep?(step: SyncStep, total: number): void;
  /** A change was written, or failed. */
  onTried?(): void;
  /** The step has ended: once for each reason for which changes of it, or the whole step, failed. */
  onFailed?(step: SyncStep, failure: Failure): void;
}

/** The dependencies of carrying out a plan. */
export interface ExecuteDependencies extends ApplyContext {
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

/** Carries out a plan step by step. Later steps run even if a step fails, unless the failure ends the run. Never throws. */
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

/** The dependencies of a run that writes to the site. */
export interface RunDependencies {
  readonly site: Site;
  readonly disk: Disk;
  /** Folder of the checklist and the records. */
  readonly folder: string;
  readonly clock: Clock;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
  readonly course: Course;
}

/** What the run carries out. */
export interface RunWork {
  readonly plan: SyncPlan;
  readonly matches: Matches;
  /** Steps that could not be planned; the run is incomplete when there are any. */
  readonly unplanned: ReadonlyMap<SyncStep, RelayError>;
  readonly earlier?: Earlier | undefined;
  readonly sources: RunSources;
  /** Whether an earlier record tells what the area relies on; if not, a complete run keeps its record though it wrote nothing. */
  readonly isRecorded: boolean;
}

/** The result of a run and the path of its record; null when the run wrote nothing. */
export interface Ran extends Executed {
  readonly record: string | null;
  /** What it replaced without its plan having seen it; a sentence each. */
  readonly overtaken: readonly string[];
  /** Why the record could not be finished; its journal has all writes. */
  readonly unsaved?: RelayError;
}

/** The result of a call that wrote nothing: a dry run, a refused run, or a plan without changes. */
export const nothingRan = (tally: Tally, failed: Executed['failed'] = new Map()): Ran => ({
  tally,
  failed,
  failures: new Map(),
  interrupted: false,
  overtaken: [],
  record: null,
});

/** The earlier part of the same run, when the run is resumed. */
export interface Earlier extends Begun {
  readonly nextNumber: number;
}

const statusOf = ({ interrupted, failed }: Executed, { unplanned }: RunWork): RunRecord['status'] => {
  if (interrupted) return 'interrupted';
  return failed.size + unplanned.size > 0 ? 'failed' : 'complete';
};

/** Carries out a plan and writes the record and the journal beside the checklist. The caller holds the lock of the site. */
export const carryOut = async (parts: RunDependencies, work: RunWork): Promise<Ran> => {
  const { site, disk, folder, clock } = parts;
  const { plan, matches, earlier, sources } = work;
  const begun = earlier ?? (await beginRecord(disk, folder, plan, clock.now(), sources));
  const { files } = begun;
  parts.listener.onRecord?.(files.record);
  const journal = await openJournal(files, earlier?.nextNumber);
  const keepBefore = (document: FormDocument): Promise<string> => keepFormBefore(files, document);
  const executed = await execute(
    {
      ...parts,
      writes: createWrites(journal),
      fresh: freshOf(site, clock),
      subjects: idsOf(matches.byMember),
      maybeTwice: new Set(),
      keepBefore,
    },
    plan,
  ).finally(() => journal.close());
  const finished_at = new Date(clock.now()).toISOString();
  const written = readJournal(await disk.readFile(files.journal, 'utf8'));
  if (written.some(isPending)) await pause(clock, lateMs, parts.signal);
  // If the site cannot be read, the record lists writes with an unknown outcome as if they had happened.
  const entries = await resolvePendingWrites(site, written, files).catch(() => written);
  const own = entries.filter(({ number }) => number >= (earlier?.nextNumber ?? 0));
  const overtaken = overtakenWarnings(plan, changesOf(own));
  try {
    const status = statusOf(executed, work);
    const tells = status === 'complete' && !work.isRecorded;
    const stays = await finishRecord(begun, { status, finished_at }, { entries, tells });
    return { ...executed, overtaken, record: stays ? files.record : null };
  } catch (error) {
    if (!isRelayError(error, 'output_not_writable')) throw error;
    return { ...executed, overtaken, record: files.record, unsaved: error };
  }
};

/** Steps that failed, during planning or during the run. */
export const allFailures = (
  planned: ReadonlyMap<SyncStep, RelayError>,
  ran: ReadonlyMap<SyncStep, RelayError>,
): ReadonlyMap<SyncStep, RelayError> => new Map([...planned, ...ran]);

import { readFile } from 'node:fs/promises';
import type { RunRecord, SyncPlan, SyncStep } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { FormDocument, Site } from '@ranger-relay/site';
import type { Matches } from '../plan/match.ts';
import type { Course } from '../resources/resource.ts';
import { idsOf } from '../resources/subject.ts';
import { execute, type Executed, type RunListener } from './execute.ts';
import { freshOf } from './fresh.ts';
import { createWrites, openJournal, readJournal } from './journal.ts';
import { beginRecord, type Begun, finishRecord, keepFormBefore, type RunSources } from './record.ts';
import { resolvePendingWrites } from './resolve-pending-writes.ts';

/** The dependencies of a run that writes to the site. */
export interface RunDependencies {
  readonly site: Site;
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
}

/** The result of a run and the path of its record; null when the run wrote nothing. */
export interface Ran extends Executed {
  readonly record: string | null;
}

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
  const { site, folder, clock } = parts;
  const { plan, matches, earlier, sources } = work;
  const begun = earlier ?? (await beginRecord(folder, plan, clock.now(), sources));
  const { files } = begun;
  parts.listener.onRecord?.(files.record);
  const journal = await openJournal(files.journal, earlier?.nextNumber);
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
  const written = readJournal(await readFile(files.journal, 'utf8'));
  // If the site cannot be read, the record lists writes with an unknown outcome as if they had happened.
  const entries = await resolvePendingWrites(site, written, files).catch(() => written);
  const stays = await finishRecord(begun, { status: statusOf(executed, work), finished_at }, entries);
  return { ...executed, record: stays ? files.record : null };
};

/** Steps that failed, during planning or during the run. */
export const allFailures = (
  planned: ReadonlyMap<SyncStep, RelayError>,
  ran: ReadonlyMap<SyncStep, RelayError>,
): ReadonlyMap<SyncStep, RelayError> => new Map([...planned, ...ran]);

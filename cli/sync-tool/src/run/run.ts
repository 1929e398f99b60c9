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

/** What a real run works with. */
export interface RunDependencies {
  readonly site: Site;
  /** Folder of checklist and records. */
  readonly folder: string;
  readonly clock: Clock;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
  readonly course: Course;
}

/** What is carried out. */
export interface RunWork {
  readonly plan: SyncPlan;
  readonly matches: Matches;
  /** Steps that could not be planned: what the run does is not the whole then. */
  readonly unplanned: ReadonlyMap<SyncStep, RelayError>;
  readonly earlier?: Earlier | undefined;
  readonly sources: RunSources;
}

/** How a run ended, and where it is written down; null when nothing was written. */
export interface Ran extends Executed {
  readonly record: string | null;
}

/** An earlier part of the same run, when it is resumed. */
export interface Earlier extends Begun {
  readonly nextNumber: number;
}

const statusOf = ({ interrupted, failed }: Executed, { unplanned }: RunWork): RunRecord['status'] => {
  if (interrupted) return 'interrupted';
  return failed.size + unplanned.size > 0 ? 'failed' : 'complete';
};

/** Carries out a plan, with record and journal beside the checklist. The caller holds the lock of the site. */
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
  // Where the site cannot be asked, what may have happened is listed as if it had.
  const entries = await resolvePendingWrites(site, written, files).catch(() => written);
  const stays = await finishRecord(begun, { status: statusOf(executed, work), finished_at }, entries);
  return { ...executed, record: stays ? files.record : null };
};

/** Steps that did not come to their end, from planning and from running. */
export const allFailures = (
  planned: ReadonlyMap<SyncStep, RelayError>,
  ran: ReadonlyMap<SyncStep, RelayError>,
): ReadonlyMap<SyncStep, RelayError> => new Map([...planned, ...ran]);

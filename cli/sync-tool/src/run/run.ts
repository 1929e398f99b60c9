import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { RunRecord, SyncPlan, SyncStep } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Clock, Random } from '@ranger-relay/runtime';
import type { FormDocument, Site } from '@ranger-relay/site';
import type { FormPlan } from '../plan/form.ts';
import type { Matches } from '../plan/match.ts';
import { createDurably } from './durable.ts';
import { execute, type Executed, type RunListener } from './execute.ts';
import { newRunFiles, type RunFiles } from './files.ts';
import { openJournal, readJournal } from './journal.ts';
import { takeLock } from './lock.ts';
import { beginRecord, finishRecord } from './record.ts';
import { settle } from './settle.ts';
import { createWrites } from './writes.ts';

/** What a real run works with. */
export interface RunParts {
  readonly site: Site;
  /** Folder of checklist and records. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly listener: RunListener;
  readonly signal: AbortSignal;
  readonly holder: string;
  /** Plans the form again when the site's has changed since the plan. @throws RelayError */
  readonly again: (stored: FormDocument | null) => FormPlan;
}

/** How a run ended, and where it is written down; null when nothing was written. */
export interface Ran extends Executed {
  readonly record: string | null;
}

/** An earlier part of the same run, when it is resumed. */
export interface Earlier {
  readonly files: RunFiles;
  readonly record: RunRecord;
  readonly nextNumber: number;
}

const statusOf = ({ interrupted, failed }: Executed): RunRecord['status'] => {
  if (interrupted) return 'interrupted';
  return failed.size > 0 ? 'failed' : 'complete';
};

const keepDocument =
  (files: RunFiles) =>
  async (document: FormDocument): Promise<string> => {
    const kept = await readFile(files.formBefore, 'utf8').catch(() => undefined);
    // A resumed run replaces what the first part wrote: what was there before it is what undo needs.
    if (kept === undefined) await createDurably(files.formBefore, `${JSON.stringify(document, null, 2)}\n`);
    return basename(files.formBefore);
  };

const idsOf = ({ byMember }: Matches): Map<string, string> =>
  new Map([...byMember].map(([member, { id }]) => [member, id]));

/** Carries out a plan under the lock of its site and area, with record and journal beside the checklist. @throws RelayError `locked` */
export const carryOut = async (parts: RunParts, plan: SyncPlan, matches: Matches, earlier?: Earlier): Promise<Ran> => {
  const { site, folder, clock, random, holder } = parts;
  const lock = await takeLock({ folder, site: site.host, area: plan.conservation_area.uuid, holder, clock, random });
  try {
    const startedAt = new Date(clock.now()).toISOString();
    const files = earlier?.files ?? (await newRunFiles(folder, clock.now()));
    const record = earlier?.record ?? (await beginRecord(files, plan, startedAt));
    const journal = await openJournal(files.journal, earlier?.nextNumber);
    const executed = await execute(
      { ...parts, writes: createWrites(journal), subjects: idsOf(matches), keepBefore: keepDocument(files) },
      plan,
    ).finally(() => journal.close());
    const finished_at = new Date(clock.now()).toISOString();
    const written = readJournal(await readFile(files.journal, 'utf8'));
    // Where the site cannot be asked, what may have happened is listed as if it had.
    const entries = await settle(site, written, files.record).catch(() => written);
    const stays = await finishRecord(files, record, { status: statusOf(executed), finished_at }, entries);
    return { ...executed, record: stays ? files.record : null };
  } finally {
    await lock.release();
  }
};

/** Most deactivations that nobody has to allow: a fifth of the subjects that this tool made for the area, never less than five. */
export const defaultMaxDeactivations = (ours: number): number => Math.max(5, Math.floor(ours / 5));

/** @throws RelayError `too_many_deactivations` */
export const guardDeactivations = (plan: SyncPlan, limit: number): void => {
  const planned = plan.changes.filter(
    (change) => change.kind === 'subject' && change.action === 'updated' && change.reason !== undefined,
  ).length;
  if (planned > limit) throw new RelayError('too_many_deactivations', { details: { planned, limit } });
};

/** Steps that did not come to their end, from planning and from running. */
export const allFailures = (
  planned: ReadonlyMap<SyncStep, RelayError>,
  ran: ReadonlyMap<SyncStep, RelayError>,
): ReadonlyMap<SyncStep, RelayError> => new Map([...planned, ...ran]);

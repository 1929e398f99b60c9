import { basename, dirname, resolve } from 'node:path';
import type { RecordedChange, UndoReport } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { FormDocument, Site } from '@ranger-relay/site';
import { changesOf } from '../run/journal.ts';
import { underLocks, type LockOptions } from '../run/lock.ts';
import { freshOf } from '../run/fresh.ts';
import { readKnownRecords } from '../run/known-records.ts';
import { markUndone, readFormBefore, type LoadedRecord } from '../run/record.ts';
import { settle } from '../run/settle.ts';
import { nameOf, objectOf, type UndoParts } from './entry.ts';
import { undoPlanHash } from './plan-hash.ts';
import { loadRecords } from './records.ts';
import { beginReport, type Reporting } from './report.ts';
import { undoEntry } from './undo-entry.ts';

/** What an undo works with. */
export interface UndoOptions {
  readonly site: Site;
  readonly tool: string;
  readonly clock: Clock;
  /** Held while entries are undone: a run of the records may still go on. */
  readonly locks: readonly LockOptions[];
  readonly records: readonly string[];
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
  readonly dryRun: boolean;
  /** Hash of the plan that may be carried out; any when undefined. */
  readonly approved?: string | undefined;
  readonly signal: AbortSignal;
  readonly onEntry?: (entry: UndoReport['entries'][number]) => void;
}

/** What an undo did, and where its report lies; a dry run leaves none. */
export interface UndoResult {
  readonly report: UndoReport;
  readonly path: string | null;
}

const partsOf = async (
  options: UndoOptions,
  { files, record }: LoadedRecord,
  ids: readonly string[],
): Promise<UndoParts> => {
  const { site, clock, records, force, deleteSubjects, dryRun } = options;
  const formBefore = (file: string): Promise<FormDocument> => readFormBefore<FormDocument>(files, file);
  const fresh = freshOf(site, clock);
  fresh.expect(ids);
  const { uuid } = record.conservation_area;
  const leaving = new Set(records.map((path) => resolve(path)));
  const { others } = await readKnownRecords(dirname(files.record), record.site, uuid, leaving);
  return { site, fresh, force, deleteSubjects, others, dryRun, formBefore };
};

const undoRecord = async (options: UndoOptions, loaded: LoadedRecord, reporting: Reporting): Promise<void> => {
  const { site, clock, dryRun, signal, deleteSubjects, onEntry } = options;
  const { files, entries } = loaded;
  const changes = changesOf(await settle(site, entries, files));
  const ids = changes
    .toReversed()
    .flatMap((change) => (change.kind === 'subject' && change.id !== '' ? [change.id] : []));
  const parts = await partsOf(options, loaded, ids);
  const undone = { at: new Date(clock.now()).toISOString(), deleted_subjects: deleteSubjects };
  if (!dryRun) await markUndone(loaded, undone);
  const touched = new Set<string>();
  for (const [entry, change] of [...changes.entries()].toReversed()) {
    if (signal.aborted) return;
    const object = objectOf(change);
    // What was seen of an object is no longer true once an entry of it was undone.
    if (touched.has(object) && !dryRun) {
      parts.fresh.forget();
      touched.clear();
    }
    touched.add(object);
    const outcome = await undoEntry(parts, change);
    if (signal.aborted && outcome.outcome === 'failed') return;
    const line = { record: basename(files.record), entry, kind: change.kind, object: nameOf(change), ...outcome };
    await reporting.add(line);
    onEntry?.(line);
  }
};

const undoAll = async (options: UndoOptions): Promise<UndoResult> => {
  const { site, tool, clock, dryRun, signal, records } = options;
  const loaded = await loadRecords(site.identity, records);
  await site.probe();
  const reporting = await beginReport({ clock, tool, site: site.identity, loaded, dryRun });
  try {
    for (const record of loaded) await undoRecord(options, record, reporting);
  } catch (error) {
    await reporting.end(false);
    if (!signal.aborted || !isRelayError(error, 'site_unavailable')) throw error;
  }
  return { report: await reporting.end(!signal.aborted), path: reporting.path };
};

/** Compares what would be taken back now with what was approved. Nothing is written. @throws RelayError `plan_outdated` */
const checkApproved = async (options: UndoOptions, approved: string): Promise<void> => {
  const { onEntry: _, ...quiet } = options;
  const { report } = await undoAll({ ...quiet, dryRun: true });
  if (options.signal.aborted || undoPlanHash(report, options) === approved) return;
  throw new RelayError('plan_outdated', { details: { objects: 'entries of the records' } });
};

/**
 * Takes runs back: newest record first, last change first; only what the records list.
 * @throws RelayError `record_invalid`, `locked`, `site_unauthorized`, `plan_outdated`
 */
export const undoRuns = async (options: UndoOptions): Promise<UndoResult> => {
  const { signal, dryRun, locks, site, records, approved } = options;
  await loadRecords(site.identity, records);
  return underLocks(dryRun ? [] : locks, async (lost) => {
    const held = { ...options, signal: AbortSignal.any([signal, lost]) };
    if (approved !== undefined) await checkApproved(held, approved);
    return undoAll(held);
  });
};

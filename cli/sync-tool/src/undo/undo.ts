import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RecordedChange, UndoReport } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { FormDocument, Site } from '@ranger-relay/site';
import { replaceDurably } from '../run/durable.ts';
import { stampOf } from '../run/files.ts';
import { changesOf } from '../run/journal.ts';
import { loadRecord, type LoadedRecord } from '../run/record.ts';
import { settle } from '../run/settle.ts';
import { nameOf } from './entry.ts';
import { snapshotOf } from './snapshot.ts';
import { undoEntry } from './undo-entry.ts';

/** What an undo works with. */
export interface UndoOptions {
  readonly site: Site;
  readonly tool: string;
  readonly clock: Clock;
  readonly records: readonly string[];
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly onEntry?: (entry: UndoReport['entries'][number]) => void;
}

/** What an undo did, and where its report lies; a dry run leaves none. */
export interface UndoResult {
  readonly report: UndoReport;
  readonly path: string | null;
}

const saveEveryMs = 1_000;

const newestFirst = (a: LoadedRecord, b: LoadedRecord): number => (a.record.started_at < b.record.started_at ? 1 : -1);

/** Loads records of one site, newest first. @throws RelayError `record_invalid` */
const loadAll = async ({ site, records }: UndoOptions): Promise<readonly LoadedRecord[]> => {
  const loaded = await Promise.all([...new Set(records)].map((path) => loadRecord(path)));
  for (const { record, files } of loaded)
    if (record.site !== site.host)
      throw new RelayError('record_invalid', {
        details: { path: files.record, reason: `it is of the site ${record.site}, not of ${site.host}` },
      });
  return loaded.toSorted(newestFirst);
};

const undoRecord = async (
  options: UndoOptions,
  { files, entries }: LoadedRecord,
  report: UndoReport,
  save: () => Promise<void>,
): Promise<void> => {
  const { site, force, deleteSubjects, dryRun, signal, onEntry } = options;
  const changes = changesOf(await settle(site, entries, files.record));
  const formBefore = async (file: string): Promise<FormDocument> =>
    JSON.parse(await readFile(join(dirname(files.record), basename(file)), 'utf8')) as FormDocument;
  const parts = { site, seen: snapshotOf(site), force, deleteSubjects, dryRun, formBefore };
  for (const [entry, change] of [...changes.entries()].toReversed()) {
    if (signal.aborted) return;
    const outcome = await undoEntry(parts, change);
    const line = { record: basename(files.record), entry, kind: change.kind, object: nameOf(change), ...outcome };
    report.entries.push(line);
    onEntry?.(line);
    await save();
  }
};

/**
 * Takes runs back: newest record first, last change first; only what the records list. The report is brought to the disk every second.
 * @throws RelayError `record_invalid`, `site_unauthorized`
 */
export const undoRuns = async (options: UndoOptions): Promise<UndoResult> => {
  const { site, tool, clock, dryRun } = options;
  const loaded = await loadAll(options);
  await site.probe();
  const folder = dirname(loaded[0]?.files.record ?? '.');
  const path = dryRun ? null : join(folder, `patrol-datamodel-undo-${stampOf(clock.now())}.json`);
  const report: UndoReport = {
    format: 'patrol-datamodel-undo',
    format_version: '1.0',
    tool,
    started_at: new Date(clock.now()).toISOString(),
    finished_at: null,
    site: site.host,
    records: loaded.map(({ files }) => basename(files.record)),
    entries: [],
  };
  let savedAt = -Infinity;
  const save = async (): Promise<void> => {
    if (path === null || clock.monotonic() - savedAt < saveEveryMs) return;
    savedAt = clock.monotonic();
    await replaceDurably(path, `${JSON.stringify(report, null, 2)}\n`);
  };
  await save();
  for (const record of loaded) await undoRecord(options, record, report, save);
  const whole = { ...report, finished_at: new Date(clock.now()).toISOString() };
  if (path !== null) await replaceDurably(path, `${JSON.stringify(whole, null, 2)}\n`);
  return { report: whole, path };
};

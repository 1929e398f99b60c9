import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { RecordedChange, UndoneEntry, UndoReport } from '@ranger-relay/contracts';
import type { Clock } from '@ranger-relay/runtime';
import type { FormDocument } from '@ranger-relay/site';
import { freeName, replaceDurably } from '../run/files.ts';
import type { Disk } from '../run/machine.ts';
import { keepFormBefore } from '../run/record.ts';
import type { UndoableRecord } from '../run/undoable.ts';

/** Writes the report while an undo runs; the file on disk is at most one second behind. */
export interface Reporting {
  /** Null in a dry run, which writes no report file. */
  readonly path: string | null;
  readonly report: UndoReport;
  /** Saves a form document that the undo is about to replace, beside the report; returns the name of its file, null without one. */
  keepBefore(document: FormDocument): Promise<string | null>;
  /** @param mark brings the record up to date, as often as the report is saved */
  add(entry: UndoneEntry, mark: () => Promise<void>): Promise<void>;
  /** Flushes the report to disk; `finished` is false when the undo did not reach all entries. */
  end(finished: boolean): Promise<void>;
}

/** The input of a report. */
export interface ReportOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly tool: string;
  readonly site: string;
  readonly loaded: readonly UndoableRecord[];
  readonly dryRun: boolean;
}

/** How far the files of an undo may be behind, ms. */
const saveEveryMs = 1_000;

/** Creates a report beside the newest record. */
export const beginReport = async ({ disk, clock, tool, site, loaded, dryRun }: ReportOptions): Promise<Reporting> => {
  const folder = dirname(loaded[0]?.files.record ?? '.');
  const base = await freeName(disk, folder, 'patrol-datamodel-undo-', clock.now());
  const path = dryRun ? null : `${base}.json`;
  const report: UndoReport = {
    format: 'patrol-datamodel-undo',
    format_version: '1.0',
    tool,
    started_at: new Date(clock.now()).toISOString(),
    finished_at: null,
    site,
    records: loaded.map(({ files }) => basename(files.record)),
    entries: [],
  };
  let savedAt = clock.monotonic();
  const save = async (): Promise<void> => {
    savedAt = clock.monotonic();
    if (path !== null) await replaceDurably(disk, path, `${JSON.stringify(report, null, 2)}\n`);
  };
  await save();
  return {
    path,
    report,
    keepBefore: async (document) =>
      path === null ? null : keepFormBefore({ disk, formBefore: `${base}.form-before.json` }, document),
    async add(entry, mark) {
      report.entries.push(entry);
      if (clock.monotonic() - savedAt < saveEveryMs) return;
      await mark();
      await save();
    },
    async end(finished) {
      if (finished) report.finished_at = new Date(clock.now()).toISOString();
      await save();
    },
  };
};

/** The options that determine, together with the site, what an undo changes. */
interface Choices {
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
}

/**
 * Hash of what an undo takes back and what it leaves, SHA-256 in hex, computed from the report of a dry run; null when an entry could not
 * be checked. Entries that are already undone count as taken back, so that an interrupted undo keeps its hash.
 */
export const undoPlanHash = ({ entries }: UndoReport, { force, deleteSubjects }: Choices): string | null => {
  if (entries.some(({ outcome }) => outcome === 'failed')) return null;
  const decided = entries.map(({ record, entry, outcome }) => [record, entry, outcome === 'left' ? 'left' : 'undone']);
  const text = JSON.stringify({ force: [...force].toSorted(), deleteSubjects, decided });
  return createHash('sha256').update(text).digest('hex');
};

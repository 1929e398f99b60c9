import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { RecordedChange, UndoneEntry, UndoReport } from '@ranger-relay/contracts';
import type { Clock } from '@ranger-relay/runtime';
import { replaceDurably } from '../run/durable.ts';
import { freeName } from '../run/files.ts';
import type { LoadedRecord } from '../run/record.ts';

/** The report of an undo under way; on the disk it is behind by a second at most. */
export interface Reporting {
  /** Null in a dry run, which leaves none. */
  readonly path: string | null;
  add(entry: UndoneEntry): Promise<void>;
  /** Brings all of it to the disk; `finished` is false when entries were not come to. */
  end(finished: boolean): Promise<UndoReport>;
}

/** What a report begins with. */
export interface ReportOptions {
  readonly clock: Clock;
  readonly tool: string;
  readonly site: string;
  readonly loaded: readonly LoadedRecord[];
  readonly dryRun: boolean;
}

const saveEveryMs = 1_000;

/** Begins a report, beside the newest record. */
export const beginReport = async ({ clock, tool, site, loaded, dryRun }: ReportOptions): Promise<Reporting> => {
  const folder = dirname(loaded[0]?.files.record ?? '.');
  const path = dryRun ? null : `${await freeName(folder, 'patrol-datamodel-undo-', clock.now())}.json`;
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
    if (path !== null) await replaceDurably(path, `${JSON.stringify(report, null, 2)}\n`);
  };
  await save();
  return {
    path,
    async add(entry) {
      report.entries.push(entry);
      if (clock.monotonic() - savedAt >= saveEveryMs) await save();
    },
    async end(finished) {
      if (finished) report.finished_at = new Date(clock.now()).toISOString();
      await save();
      return report;
    },
  };
};

/** What decides, beside the site, what an undo takes back. */
interface Choices {
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
}

/**
 * The hash of what an undo takes back and what it leaves, SHA-256 in hex, from the report of a dry run; null when an entry could not be
 * looked at. What is undone already counts as taken back, so that an undo that was broken off keeps its hash.
 */
export const undoPlanHash = ({ entries }: UndoReport, { force, deleteSubjects }: Choices): string | null => {
  if (entries.some(({ outcome }) => outcome === 'failed')) return null;
  const decided = entries.map(({ record, entry, outcome }) => [record, entry, outcome]);
  const text = JSON.stringify({ force: [...force].toSorted(), deleteSubjects, decided });
  return createHash('sha256').update(text).digest('hex');
};

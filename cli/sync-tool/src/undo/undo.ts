import { basename, dirname, join, resolve } from 'node:path';
import { hash } from 'node:crypto';
import type { RecordedChange, UndoneEntry, UndoReport } from '@ranger-relay/contracts';
import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { FormDocument, Site } from '@ranger-relay/site';
import { changesOf, isMaybeTwice } from '../run/journal.ts';
import { freeName, recordOrder, replaceDurably } from '../run/files.ts';
import { type LockOptions, underLocks } from '../run/lock.ts';
import { freshOf } from '../run/fresh.ts';
import type { Disk } from '../run/machine.ts';
import { readKnownRecords } from '../run/known-records.ts';
import { checkSite, keepFormBefore, loadUndoable, type UndoableRecord } from '../run/record.ts';
import { resolvePendingWrites, settlePendingWrites } from '../run/resolve-pending-writes.ts';
import { endsRun } from '../run/tally.ts';
import {
  already,
  areaThat,
  choiceFieldsLeft,
  type FormEntryToUndo,
  neededBy,
  resourceOf,
  type UndoContext,
  type Undone,
} from '../resources/index.ts';
import { dryRunSite } from '../run/dry-run-site.ts';

/** Writes the report while an undo runs; the file on disk is at most one second behind. */
interface Reporting {
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
interface ReportOptions {
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
const beginReport = async ({ disk, clock, tool, site, loaded, dryRun }: ReportOptions): Promise<Reporting> => {
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
  return hash('sha256', text);
};

/** The input of an undo. */
export interface UndoOptions {
  readonly site: Site;
  readonly disk: Disk;
  readonly tool: string;
  readonly clock: Clock;
  /** Locks to hold while entries are undone, because a run of the records may still be in progress. */
  readonly locks: readonly LockOptions[];
  readonly records: readonly string[];
  /** The word for a record of the importer that does not tell its own. */
  readonly word: string;
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
  readonly dryRun: boolean;
  /** Hash of the approved undo plan; undefined permits any plan. */
  readonly approved?: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each entry; the undo waits for it. */
  readonly onEntry?: (entry: UndoReport['entries'][number]) => Promise<void>;
}

/** The result of an undo and the path of its report; null after a dry run, which writes no report. */
export interface UndoResult {
  readonly report: UndoReport;
  readonly path: string | null;
  /** Why report and record are not up to date; the undo has ended there. */
  readonly unsaved: RelayError | undefined;
}

const ageOf = ({ record, files }: UndoableRecord): string =>
  `${record.started_at} ${recordOrder(basename(files.record))} ${files.record}`;

const newestFirst = (a: UndoableRecord, b: UndoableRecord): number => (ageOf(a) < ageOf(b) ? 1 : -1);

/**
 * Loads the records of one site, each once, newest first. The record of a run with which one of these runs went on belongs to it.
 * @throws RelayError `record_invalid`
 */
const loadRecords = async ({
  site: { identity },
  disk,
  word,
  records,
}: UndoOptions): Promise<readonly UndoableRecord[]> => {
  const loaded = new Map<string, UndoableRecord>();
  const load = async (path: string): Promise<void> => {
    if (loaded.has(path)) return;
    const each = await loadUndoable(disk, path, word);
    checkSite(each, identity);
    loaded.set(path, each);
    if (each.record.continues !== undefined) await load(join(dirname(path), basename(each.record.continues)));
  };
  for (const path of records) await load(resolve(path));
  return [...loaded.values()].toSorted(newestFirst);
};

/** Whether undoing the entry takes its object out of use: the run created the object, or the object was inactive before the run. */
const takesOut = ({ action, before }: { readonly action: string; readonly before?: object | undefined }): boolean =>
  action === 'created' || (before !== undefined && Reflect.get(before, 'is_active') === false);

const undoOnce = async (context: UndoContext, change: RecordedChange): Promise<Undone> => {
  const resource = resourceOf(change);
  const area = takesOut(change) ? areaThat(context.others, (needs) => resource.isNeeded(change, needs)) : undefined;
  return area === undefined ? resource.undo(context, change) : neededBy(area);
};

/** Maximum attempts to undo an entry whose object another writer keeps changing. */
const maxAttempts = 4;

/** The outcome of an entry, and the object as the site names it. */
type EntryOutcome = Undone & Pick<UndoneEntry, 'object'>;

/**
 * Undoes one entry of a record, unless the object has changed since the run (bundle contract, 7). A refused entry does not stop the others.
 * @throws RelayError a failure that ends the undo
 */
const undoEntry = async (
  context: SharedContext & Pick<UndoContext, 'wasUndone' | 'maybeTwice'>,
  change: RecordedChange,
  clock: Pick<Clock, 'monotonic'>,
): Promise<EntryOutcome> => {
  let object = resourceOf(change).name(change);
  const nameObject = (name: string): void => void (object = name);
  for (let attempt = 1; ; attempt += 1)
    try {
      const outcome = await undoOnce({ ...context, nameObject, readAt: clock.monotonic() }, change);
      return { object, ...outcome };
    } catch (error) {
      const failure = toRelayError(error);
      if (endsRun(failure)) throw error;
      if (failure.code !== 'site_changed' || attempt === maxAttempts)
        return { object, outcome: 'failed', detail: null, reason: failure.message };
      context.fresh.forget();
    }
};

/** What the undo of each entry of a record has in common. */
type SharedContext = Omit<UndoContext, 'readAt' | 'nameObject' | 'wasUndone' | 'maybeTwice'>;
type RecordContext = Omit<SharedContext, 'choiceFieldsLeft' | 'seesAll' | 'takenOut' | 'keepBefore'>;

/** What another area needs must be known before anything is taken back. @throws RelayError `record_invalid` */
const checkReadable = ([error]: readonly RelayError[]): void => {
  if (!isRelayError(error, 'record_invalid')) return;
  const reason = `${error.details['reason']}; undo has to know what other areas need: restore it, or move it out of the folder`;
  throw new RelayError('record_invalid', { details: { ...error.details, reason }, cause: error });
};

const contextOf = async (
  options: UndoOptions,
  { files, record, word, formBefore }: UndoableRecord,
  leaving: ReadonlySet<string>,
): Promise<RecordContext> => {
  const { clock, force, deleteSubjects } = options;
  const site = options.site.withWord(word);
  const { uuid } = record.conservation_area;
  const { others, unreadable } = await readKnownRecords(files.disk, dirname(files.record), record.site, uuid, leaving);
  checkReadable(unreadable);
  return { site, word, fresh: freshOf(site, clock), force, deleteSubjects, others, formBefore };
};

/** Whether an earlier undo took an entry back, and this one leaves it alone; a subject that it made inactive may still be deleted. */
const isDone = ({ record }: UndoableRecord, { deleteSubjects }: UndoOptions) => {
  const done = new Set(record.undone?.entries);
  return (number: number, { kind, action }: RecordedChange): boolean =>
    done.has(number) && !(deleteSubjects && kind === 'subject' && action === 'created');
};

/** The writes of the form that this undo takes back, in its order. */
const formEntriesOf = (options: UndoOptions, loaded: UndoableRecord, context: RecordContext): FormEntryToUndo[] =>
  loaded.entries.toReversed().flatMap((written) =>
    changesOf([written]).flatMap((entry) => {
      if (entry.kind !== 'universal_patrol_fields' || isDone(loaded, options)(written.number, entry)) return [];
      return [{ entry, context }];
    }),
  );

/** Whoever gives the object the values of the run after it was undone means them. */
const undoneBefore = already('an earlier undo took it back');

const undoRecord = async (
  options: UndoOptions,
  loaded: UndoableRecord,
  context: SharedContext,
  reporting: Reporting,
): Promise<void> => {
  const { clock, dryRun, signal, deleteSubjects, onEntry } = options;
  const { files, record, entries } = loaded;
  const resolved = await (dryRun ? resolvePendingWrites : settlePendingWrites)(context.site, entries, files);
  const writes = resolved.flatMap((written) =>
    changesOf([written]).map((change) => ({ number: written.number, change, maybeTwice: isMaybeTwice(written) })),
  );
  const changes = writes.map(({ change }) => change);
  const ids = changes
    .toReversed()
    .flatMap((change) => (change.kind === 'subject' && change.id !== '' ? [change.id] : []));
  context.fresh.expect(ids);
  const isUndone = isDone(loaded, options);
  const done = new Set(record.undone?.entries);
  const deleted_subjects = deleteSubjects || record.undone?.deleted_subjects === true;
  const mark = { at: new Date(clock.now()).toISOString(), deleted_subjects };
  const markNow = async (): Promise<void> => {
    if (!dryRun) await loaded.markUndone({ ...mark, entries: [...done] });
  };
  await markNow();
  const touched = new Set<string>();
  for (const [entry, { number, change, maybeTwice }] of [...writes.entries()].toReversed()) {
    if (signal.aborted) break;
    const resource = resourceOf(change);
    const object = resource.key(change);
    // Earlier readings of an object are outdated after one of its entries was undone.
    if (touched.has(object)) {
      context.fresh.forget();
      touched.clear();
    }
    touched.add(object);
    const outcome = isUndone(number, change)
      ? { object: resource.name(change), ...undoneBefore }
      : await undoEntry({ ...context, wasUndone: done.has(number), maybeTwice }, change, clock);
    if (signal.aborted && outcome.outcome === 'failed') break;
    if (outcome.outcome === 'undone' || outcome.outcome === 'already') done.add(number);
    const line = {
      record: basename(files.record),
      entry,
      kind: change.kind,
      ...outcome,
    };
    // The mark, for a repeated undo leaves alone what has changed since an interrupted one undid it.
    await reporting.add(line, markNow);
    await onEntry?.(line);
  }
  await markNow();
};

const undoAll = async (given: UndoOptions): Promise<UndoResult> => {
  const options = given.dryRun ? { ...given, site: dryRunSite(given.site) } : given;
  const { site, disk, tool, clock, dryRun, signal } = options;
  const loaded = await loadRecords(options);
  const leaving = new Set(loaded.map(({ files }) => files.record));
  const { isSuperuser: seesAll } = await site.probe();
  const reporting = await beginReport({ disk, clock, tool, site: site.identity, loaded, dryRun });
  let unsaved: RelayError | undefined;
  const unlessFull = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isRelayError(error, 'output_not_writable')) throw error;
      unsaved ??= error;
    }
  };
  try {
    await unlessFull(async () => {
      const contexts = await Promise.all(loaded.map((each) => contextOf(options, each, leaving)));
      const records = loaded.flatMap((each, at) => {
        const context = contexts[at];
        return context ? [{ loaded: each, context }] : [];
      });
      const forms = records.flatMap((each) => formEntriesOf(options, each.loaded, each.context));
      const left = await choiceFieldsLeft(site, forms);
      const { keepBefore } = reporting;
      const shared = { choiceFieldsLeft: left, seesAll, takenOut: new Set<string>(), keepBefore };
      for (const each of records) await undoRecord(options, each.loaded, { ...each.context, ...shared }, reporting);
    });
  } catch (error) {
    await unlessFull(() => reporting.end(false));
    if (!signal.aborted || !isRelayError(error, 'site_unavailable')) throw error;
  }
  await unlessFull(() => reporting.end(!signal.aborted && !unsaved));
  const { report, path } = reporting;
  return { report, path, unsaved };
};

/** Checks that a dry run still matches the approved hash. Writes nothing. @throws RelayError `plan_outdated` */
const checkApproved = async (options: UndoOptions, approved: string): Promise<void> => {
  const { onEntry: _, ...quiet } = options;
  const { report } = await undoAll({ ...quiet, dryRun: true });
  if (options.signal.aborted || undoPlanHash(report, options) === approved) return;
  throw new RelayError('plan_outdated', { details: { objects: 'entries of the records' } });
};

/**
 * Undoes runs: newest record first, last change first; changes only what the records list.
 * @throws RelayError `record_invalid`, `locked`, `site_unauthorized`, `plan_outdated`
 */
export const undoRuns = async (options: UndoOptions): Promise<UndoResult> => {
  const { dryRun, locks, approved } = options;
  await loadRecords(options);
  return underLocks(dryRun ? [] : locks, async () => {
    if (approved !== undefined) await checkApproved(options, approved);
    return undoAll(options);
  });
};

import { readFile, unlink } from 'node:fs/promises';
import { runRecordSchema, type RunRecord, type SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { createDurably, replaceDurably } from './durable.ts';
import { filesOf, type RunFiles } from './files.ts';
import { changesOf, journalText, readJournal, type Entry } from './journal.ts';

const text = (record: RunRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/** The record of a run that begins: interrupted, until it says otherwise. */
export const beginRecord = async (files: RunFiles, plan: SyncPlan, startedAt: string): Promise<RunRecord> => {
  const { tool, site, conservation_area, bundle, options, hash } = plan;
  const record: RunRecord = {
    format: 'patrol-datamodel-run',
    format_version: '1.0',
    tool,
    status: 'interrupted',
    started_at: startedAt,
    finished_at: null,
    site,
    conservation_area,
    bundle,
    options,
    plan_hash: hash,
    changes: [],
  };
  await createDurably(files.record, text(record));
  return record;
};

/**
 * Makes the record from what the journal says and removes the journal; a run that wrote nothing leaves neither. After an interruption the
 * journal stays, for whoever resumes or takes the run back.
 * @returns whether the record stays
 */
export const finishRecord = async (
  files: RunFiles,
  record: RunRecord,
  end: Pick<RunRecord, 'status' | 'finished_at'>,
  entries: readonly Entry[],
): Promise<boolean> => {
  const changes = changesOf(entries);
  if (changes.length === 0) await unlink(files.record);
  else await replaceDurably(files.record, text({ ...record, ...end, changes }));
  if (end.status !== 'interrupted' || changes.length === 0) await unlink(files.journal).catch(() => undefined);
  return changes.length > 0;
};

/** A record with what its journal knows beyond it. */
export interface LoadedRecord {
  readonly files: RunFiles;
  readonly record: RunRecord;
  /** All writes in order; of a finished record each is done. */
  readonly entries: readonly Entry[];
}

const done = (record: RunRecord): Entry[] =>
  record.changes.map((change, number) => ({
    number,
    change,
    outcome: { outcome: 'done', id: 'id' in change ? change.id : null },
  }));

const parse = (path: string, content: string): RunRecord => {
  try {
    return runRecordSchema.parse(JSON.parse(content));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is no JSON' : 'members are missing or wrong';
    throw new RelayError('record_invalid', { details: { path, reason }, cause: error });
  }
};

/** Reads a record, and the journal beside it when the run was not finished. @throws RelayError `record_invalid` */
export const loadRecord = async (path: string): Promise<LoadedRecord> => {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new RelayError('record_invalid', { details: { path, reason: (error as Error).message }, cause: error });
  });
  const files = filesOf(path);
  const record = parse(path, content);
  const journal = await readFile(files.journal, 'utf8').catch(() => undefined);
  const entries = journal === undefined ? done(record) : readJournal(journal);
  return { files, record, entries };
};

/** Lays down a journal that holds what is known of a run, so that it can go on. @returns the first number that is free */
export const reopenJournal = async (files: RunFiles, entries: readonly Entry[]): Promise<number> => {
  await replaceDurably(files.journal, journalText(entries));
  return Math.max(-1, ...entries.map(({ number }) => number)) + 1;
};

import { untilDone } from '@ranger-relay/contracts';
import { type Clock, type Logger, repeat } from '@ranger-relay/runtime';
import type { SqliteFile } from '@ranger-relay/sqlite';
import { endOffset } from './records.ts';
import type { Topics } from './topics.ts';

/** Number of records deleted in one transaction, and of transactions for one partition in one sweep. */
const perTurn = 1_000;
const turns = 200;

const everyMs = 600_000;
/** Interval between two marks, ms: a record may stay this much longer than its retention. */
const markEveryMs = 3_600_000;

const remove = `DELETE FROM records WHERE offset IN (
  SELECT offset FROM records
  WHERE slot = ?1 AND offset < ?2 AND offset < coalesce((SELECT min(next) FROM offsets WHERE slot = ?1), ?3)
  ORDER BY offset LIMIT ${perTurn}) RETURNING 1`;

/** @param ungrouped limit of the deletion for a slot without a group */
const sweepSlot = async (file: SqliteFile, slot: number, before: bigint, ungrouped: bigint): Promise<number> => {
  let deleted = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const [rows = []] = await file.write([{ sql: remove, params: [[slot, before, ungrouped]] }]);
    deleted += rows.length;
    if (rows.length < perTurn) break;
  }
  return deleted;
};

/** The end of the file after a running time of the bus, over all its processes. */
interface Mark {
  readonly ran_ms: number;
  readonly next: number;
}

/**
 * Creates the sweep of one file. It deletes the records that are past their topic's retention and committed by every group of the topic, and
 * returns their number. Age is running time of the bus, stored with offsets: a jump of the clock makes no record old.
 */
export const createSweep = (
  file: SqliteFile,
  topics: Topics,
  clock: Pick<Clock, 'monotonic'>,
): (() => Promise<number>) => {
  let at = clock.monotonic();
  let ranMs: number | undefined;
  let markedMs = -Infinity;

  const run = async (): Promise<number> => {
    if (ranMs === undefined) {
      const [last] = (await file.read(
        'SELECT ran_ms, next FROM marks ORDER BY ran_ms DESC LIMIT 1',
      )) as unknown as Mark[];
      ranMs = last?.ran_ms ?? 0;
      markedMs = last?.ran_ms ?? -Infinity;
    }
    const now = clock.monotonic();
    ranMs += Math.round(now - at);
    at = now;
    return ranMs;
  };

  const mark = async (ran: number): Promise<void> => {
    if (ran - markedMs < markEveryMs) return;
    await file.write([
      { sql: 'INSERT OR REPLACE INTO marks (ran_ms, next) VALUES (?, ?)', params: [[ran, await endOffset(file)]] },
    ]);
    markedMs = ran;
  };

  return async () => {
    const ran = await run();
    await mark(ran);
    let deleted = 0;
    for (const { spec, slots } of topics.all()) {
      const [row] = await file.read('SELECT max(next) AS next FROM marks WHERE ran_ms <= ?', [ran - spec.retentionMs]);
      const before = BigInt((row?.['next'] as number | null) ?? 0);
      const ungrouped = spec.retentionMs === untilDone ? 0n : before;
      for (const slot of slots) deleted += await sweepSlot(file, slot, before, ungrouped);
    }
    const maxMs = Math.max(...topics.all().map(({ spec }) => spec.retentionMs));
    await file.write([{ sql: forget, params: [[ran - maxMs]] }]);
    return deleted;
  };
};

/** Of the marks that are old enough for every topic, only the last one is needed. */
const forget = 'DELETE FROM marks WHERE ran_ms < (SELECT max(ran_ms) FROM marks WHERE ran_ms <= ?)';

/** Sweeps every 10 minutes until the returned function is called. */
export const sweepRegularly = (clock: Clock, log: Logger, sweep: () => Promise<number>): (() => void) => {
  let stopped = false;
  const run = async (): Promise<void> => {
    try {
      const deleted = await sweep();
      if (deleted > 0) log.info({ deleted }, 'records past their retention were deleted');
    } catch (error) {
      if (!stopped) log.warn({ err: error }, 'deleting old records failed; retrying later');
    }
  };
  const stop = repeat({ clock, everyMs }, run);
  return () => {
    stopped = true;
    void stop();
  };
};

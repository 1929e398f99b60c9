import type { Clock, Logger, Timer } from '@ranger-relay/runtime';
import type { SqliteFile } from '@ranger-relay/sqlite';
import type { Topics } from './topics.ts';

/** Records deleted in one transaction, and transactions for one partition in one sweep. */
const perTurn = 1_000;
const turns = 200;

const everyMs = 600_000;

const remove = `DELETE FROM records WHERE offset IN (
  SELECT offset FROM records
  WHERE slot = ?1 AND at < ?2 AND offset < coalesce((SELECT min(next) FROM offsets WHERE slot = ?1), ?3)
  ORDER BY offset LIMIT ${perTurn}) RETURNING 1`;

const sweepSlot = async (file: SqliteFile, slot: number, olderThan: number): Promise<number> => {
  let deleted = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const [rows = []] = await file.write([{ sql: remove, params: [[slot, olderThan, 2n ** 63n - 1n]] }]);
    deleted += rows.length;
    if (rows.length < perTurn) break;
  }
  return deleted;
};

/** Deletes what is older than its topic's retention and committed by every group of its topic; returns how many records. */
export const sweepOnce = async (file: SqliteFile, topics: Topics, now: number): Promise<number> => {
  let deleted = 0;
  for (const { spec, slots } of topics.all())
    for (const slot of slots) deleted += await sweepSlot(file, slot, now - spec.retentionMs);
  return deleted;
};

/** Sweeps every 10 minutes until the returned function is called. */
export const sweepRegularly = (clock: Clock, log: Logger, sweep: () => Promise<number>): (() => void) => {
  let timer: Timer;
  let stopped = false;
  const run = async (): Promise<void> => {
    try {
      const deleted = await sweep();
      if (deleted > 0) log.info({ deleted }, 'records past their retention were deleted');
    } catch (error) {
      if (!stopped) log.warn({ err: error }, 'deleting old records failed, trying again later');
    }
    if (!stopped) arm();
  };
  const arm = (): void => {
    timer = clock.after(everyMs, () => void run());
  };
  arm();
  return () => {
    stopped = true;
    timer.cancel();
  };
};

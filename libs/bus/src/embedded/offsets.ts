import { type Clock, createRateLimitedLog, type Logger, type Timer } from '@ranger-relay/runtime';
import type { SqliteFile } from '@ranger-relay/sqlite';
import type { Commit } from '../consume/commit.ts';

/** Commits, by group and slot. */
export interface Offsets {
  /** The commit, including a pending one; null when the group has none. */
  get(group: string, slot: number): Promise<Commit | null>;
  /** Stores the start of a group that has none for these slots. */
  begin(group: string, slots: readonly number[], start: bigint): Promise<void>;
  /** Commits an offset; it is stored within 100 ms, together with others. */
  commit(group: string, slot: number, commit: Commit): void;
  /** Stores the pending commits; rejects when that fails. */
  flush(): Promise<void>;
  /** Cancels the scheduled store. */
  close(): void;
}

const gatherMs = 100;
const againMs = 1_000;

const load = 'SELECT next, announced, done FROM offsets WHERE reader = ? AND slot = ?';
const begin = 'INSERT OR IGNORE INTO offsets (reader, slot, next, announced) VALUES (?1, ?2, ?3, ?3)';
const store = `INSERT INTO offsets (reader, slot, next, announced, done) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (reader, slot) DO UPDATE SET next = max(next, excluded.next), announced = excluded.announced, done = excluded.done`;

interface Dirty {
  readonly group: string;
  readonly slot: number;
  readonly commit: Commit;
}

const idOf = (group: string, slot: number): string => `${slot}/${group}`;

/** Creates the offsets of one file. */
export const createOffsets = (file: SqliteFile, clock: Clock, log: Logger): Offsets => {
  const dirty = new Map<string, Dirty>();
  let timer: Timer | undefined;
  let closed = false;
  const limitedLog = createRateLimitedLog({ log, clock });

  const flush = async (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    const taken = [...dirty];
    if (taken.length === 0) return;
    const params = taken.map(([, { group, slot, commit }]) => [
      group,
      slot,
      commit.offset,
      commit.announced,
      commit.done,
    ]);
    try {
      await file.write([{ sql: store, params }]);
    } catch (error) {
      arm(againMs);
      throw error;
    }
    for (const [id, entry] of taken) if (dirty.get(id) === entry) dirty.delete(id);
    if (dirty.size > 0) arm(gatherMs);
  };

  const flushLater = async (): Promise<void> => {
    try {
      await flush();
    } catch (error) {
      if (closed) return;
      limitedLog.warn('', { err: error }, 'offsets could not be committed; retrying');
    }
  };

  const arm = (ms: number): void => {
    if (!closed) timer ??= clock.after(ms, () => void flushLater());
  };

  return {
    async get(group, slot) {
      const [row] = await file.read(load, [group, slot]);
      const stored = row && {
        offset: BigInt(row['next'] as number),
        announced: BigInt(row['announced'] as number),
        done: row['done'] as string,
      };
      return dirty.get(idOf(group, slot))?.commit ?? stored ?? null;
    },
    async begin(group, slots, start) {
      await file.write([{ sql: begin, params: slots.map((slot) => [group, slot, start]) }]);
    },
    commit(group, slot, commit) {
      dirty.set(idOf(group, slot), { group, slot, commit });
      arm(gatherMs);
    },
    flush,
    close() {
      closed = true;
      timer?.cancel();
    },
  };
};

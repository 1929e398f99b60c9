import { type Clock, createRateLimitedLog, type Logger, type Timer } from '@ranger-relay/runtime';
import type { SqliteFile } from '@ranger-relay/sqlite';

/** Committed offsets, by group and slot: the first record that is not done. */
export interface Offsets {
  /** The committed offset, including pending commits; null when the group has none. */
  get(group: string, slot: number): Promise<bigint | null>;
  /** Stores the start of a group that has none for these slots. */
  begin(group: string, slots: readonly number[], start: bigint): Promise<void>;
  /** Commits an offset; it is stored within 100 ms, together with others. */
  commit(group: string, slot: number, next: bigint): void;
  /** Stores the pending commits; rejects when that fails. */
  flush(): Promise<void>;
  /** Cancels the scheduled store. */
  close(): void;
}

const gatherMs = 100;
const againMs = 1_000;

const begin = 'INSERT OR IGNORE INTO offsets (reader, slot, next) VALUES (?, ?, ?)';
const store = `INSERT INTO offsets (reader, slot, next) VALUES (?, ?, ?)
  ON CONFLICT (reader, slot) DO UPDATE SET next = max(next, excluded.next)`;

interface Dirty {
  readonly group: string;
  readonly slot: number;
  readonly next: bigint;
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
    await file.write([{ sql: store, params: taken.map(([, { group, slot, next }]) => [group, slot, next]) }]);
    for (const [id, entry] of taken) if (dirty.get(id) === entry) dirty.delete(id);
    if (dirty.size > 0) arm(gatherMs);
  };

  const flushLater = async (): Promise<void> => {
    try {
      await flush();
    } catch (error) {
      if (closed) return;
      limitedLog.warn('', { err: error }, 'offsets could not be committed; retrying');
      arm(againMs);
    }
  };

  const arm = (ms: number): void => {
    if (!closed) timer ??= clock.after(ms, () => void flushLater());
  };

  return {
    async get(group, slot) {
      const [row] = await file.read('SELECT next FROM offsets WHERE reader = ? AND slot = ?', [group, slot]);
      return dirty.get(idOf(group, slot))?.next ?? (row ? BigInt(row['next'] as number) : null);
    },
    async begin(group, slots, start) {
      await file.write([{ sql: begin, params: slots.map((slot) => [group, slot, start]) }]);
    },
    commit(group, slot, next) {
      dirty.set(idOf(group, slot), { group, slot, next });
      arm(gatherMs);
    },
    flush,
    close() {
      closed = true;
      timer?.cancel();
    },
  };
};

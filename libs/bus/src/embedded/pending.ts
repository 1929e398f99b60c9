import type { SqliteFile } from '@ranger-relay/sqlite';
import { addPending } from '../pending-keys.ts';
import type { PendingKey } from '../port.ts';
import type { Offsets } from './offsets.ts';
import type { StoredTopic } from './topics.ts';

/** Records counted in one query: publishing waits no longer than that takes. */
const pageRecords = 20_000;

const count = `SELECT key, count(*) AS count, min(at) AS oldest, max(at) AS newest, max(offset) AS last
  FROM (SELECT key, at, offset FROM records WHERE slot = ? AND offset >= ? ORDER BY offset LIMIT ${pageRecords})
  GROUP BY key`;

const countSlot = async (
  file: SqliteFile,
  slot: number,
  from: bigint,
  found: Map<string, PendingKey>,
): Promise<void> => {
  let next = from;
  for (let counted = pageRecords; counted === pageRecords;) {
    counted = 0;
    for (const row of await file.read(count, [slot, next])) {
      const { key, count: records, oldest, newest, last } = row as Record<string, number> & { key: never };
      addPending(found, { key, count: records ?? 0, oldest: oldest ?? 0, newest: newest ?? 0 });
      counted += records ?? 0;
      const behind = BigInt(last ?? 0) + 1n;
      if (behind > next) next = behind;
    }
  }
};

/** What a group has not committed, by key. */
export const pendingKeys = async (
  file: SqliteFile,
  offsets: Offsets,
  { slots }: StoredTopic,
  group: string,
): Promise<readonly PendingKey[]> => {
  const found = new Map<string, PendingKey>();
  for (const slot of slots) await countSlot(file, slot, (await offsets.get(group, slot)) ?? 0n, found);
  return [...found.values()];
};

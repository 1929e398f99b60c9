import type { KvSpaceName } from '../port.ts';

/**
 * Statements that create the tables. Times are running time of the store, over all its processes, ms: a jump of the clock ends no entry. An
 * entry without `expires` does not expire.
 */
export const schema: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS entries (
     space INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
     PRIMARY KEY (space, key)
   ) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires) WHERE expires IS NOT NULL',
  'CREATE TABLE IF NOT EXISTS running (id INTEGER PRIMARY KEY CHECK (id = 0), ms INTEGER NOT NULL)',
];

/** Number of a space in the file, equal to its database number in Redis. */
export const spaceNumber: Readonly<Record<KvSpaceName, number>> = { state: 0, config: 1 };

const live = '(expires IS NULL OR expires > ?3)';

/** One statement for each call; the first three parameters are always space, key and the current time. */
export const statements = {
  get: `SELECT value FROM entries WHERE space = ?1 AND key = ?2 AND ${live}`,
  /** + value, expires. Replaces live and expired entries. */
  set: `INSERT INTO entries (space, key, value, expires) VALUES (?1, ?2, ?4, ?5)
        ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires`,
  /** + value, expires. A row when it wrote. */
  setIfAbsent: `INSERT INTO entries (space, key, value, expires) VALUES (?1, ?2, ?4, ?5)
        ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires WHERE entries.expires <= ?3
        RETURNING 1 AS wrote`,
  /** + value, expires, expected. A row when it wrote. */
  compareAndSet: `UPDATE entries SET value = ?4, expires = ?5
        WHERE space = ?1 AND key = ?2 AND value = ?6 AND ${live} RETURNING 1 AS wrote`,
  /** + expected. A row when it deleted. */
  compareAndDelete: `DELETE FROM entries WHERE space = ?1 AND key = ?2 AND value = ?4 AND ${live} RETURNING 1 AS wrote`,
  /** A row when there was an entry, with `live` 1 when it had not expired. */
  delete: `DELETE FROM entries WHERE space = ?1 AND key = ?2 RETURNING ${live} AS live`,
  /** The key is the prefix; + the first key after the prefix, null for no end. */
  list: `SELECT key, value FROM entries WHERE space = ?1 AND key >= ?2 AND ${live}
        AND (?4 IS NULL OR key < ?4) ORDER BY key`,
} as const;

/** Statements that only read. */
export const reads: ReadonlySet<string> = new Set([statements.get, statements.list]);

/** The running time that was stored last. */
export const storedTime = 'SELECT ms FROM running';

/** Stores a running time; several processes may have the file open. */
export const storeTime = `INSERT INTO running (id, ms) VALUES (0, ?1)
    ON CONFLICT DO UPDATE SET ms = max(ms, excluded.ms)`;

/** Deletes at most `?2` entries that expired up to `?1`, oldest first; returns a row for each. */
export const sweepStatement = `DELETE FROM entries WHERE (space, key) IN
    (SELECT space, key FROM entries WHERE expires <= ?1 ORDER BY expires LIMIT ?2) RETURNING 1 AS swept`;

/**
 * The first text, in code point order, after every text that starts with `prefix`; null when there is none. Increments the last code point;
 * U+10FFFF cannot be incremented, so the one before it is.
 */
export const endOfPrefix = (prefix: string): string | null => {
  const points = Array.from(prefix, (char) => char.codePointAt(0) as number);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
};

import type { Clock } from '@ranger-relay/runtime';
import type { SqlRow, SqlValue } from '@ranger-relay/sqlite';
import type { KvSpace, KvSpaceName, SetOptions } from '../port.ts';
import { endOfPrefix, spaceNumber, statements } from './statements.ts';
import type { Turns } from './turns.ts';

const wrote = (rows: readonly SqlRow[]): boolean => rows.length > 0;

/** One space of the embedded store: each call is one statement of the turn. */
export const createSpace = (name: KvSpaceName, turns: Turns, clock: Clock): KvSpace => {
  const space = spaceNumber[name];
  const expiry = ({ ttlMs }: SetOptions): number | null =>
    ttlMs === undefined ? null : Math.ceil(clock.now() + ttlMs);
  // Unpaired surrogates would reach the file as U+FFFD in some statements only.
  const run = (call: keyof typeof statements, key: string, ...more: SqlValue[]): Promise<readonly SqlRow[]> =>
    turns.run(statements[call], [space, key.toWellFormed(), clock.now(), ...more]);

  return {
    async get(key) {
      const [row] = await run('get', key);
      return row === undefined ? null : (row['value'] as string);
    },
    async set(key, value, options = {}) {
      await run('set', key, value.toWellFormed(), expiry(options));
    },
    setIfAbsent: async (key, value, options = {}) =>
      wrote(await run('setIfAbsent', key, value.toWellFormed(), expiry(options))),
    compareAndSet: async (key, expected, value, options = {}) =>
      wrote(await run('compareAndSet', key, value.toWellFormed(), expiry(options), expected.toWellFormed())),
    compareAndDelete: async (key, expected) => wrote(await run('compareAndDelete', key, expected.toWellFormed())),
    delete: async (key) => (await run('delete', key))[0]?.['live'] === 1,
    async list(prefix) {
      const rows = await run('list', prefix, endOfPrefix(prefix.toWellFormed()));
      return rows.map((row) => ({ key: row['key'] as string, value: row['value'] as string }));
    },
  };
};

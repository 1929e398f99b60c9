import { createHash } from 'node:crypto';
import type { KvSpace, SetOptions } from '../port.ts';
import type { Calls } from './calls.ts';

/** The pattern that matches texts with this literal prefix. */
export const patternOf = (prefix: string): string => `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;

/** A script and its name on the server. */
interface Script {
  readonly text: string;
  /** SHA-1 of the text, under which the server caches the script. */
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** KEYS: key. ARGV: expected, value, optional TTL in ms. Returns 1 when it wrote. */
const compareAndSetScript = script(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`);

/** KEYS: key. ARGV: expected. Returns 1 when it deleted. */
const compareAndDeleteScript = script(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

/** All scripts; a new connection loads them, so that calls of one turn keep their order. */
export const scripts: readonly Script[] = [compareAndSetScript, compareAndDeleteScript];

/** Number of keys that one SCAN visits, and of values that one MGET reads. */
const keysPerStep = '1000';
const valuesPerStep = 200;

const keysWith = async (calls: Calls, prefix: string): Promise<string[]> => {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const answer = await calls.run(['SCAN', cursor, 'MATCH', patternOf(prefix), 'COUNT', keysPerStep]);
    const [next, keys] = answer as [string, string[]];
    for (const key of keys) if (key.startsWith(prefix)) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  // By UTF-8 bytes; a plain comparison differs beyond 16 bits.
  return [...found]
    .map((key) => Buffer.from(key))
    .sort(Buffer.compare)
    .map(String);
};

/**
 * Entries whose key starts with `prefix`, sorted by key. Not a snapshot: it may miss entries that are added or deleted meanwhile. Each step has
 * its own deadline, so that a large database can be listed.
 */
const listEntries = async (calls: Calls, prefix: string): Promise<readonly { key: string; value: string }[]> => {
  const keys = await keysWith(calls, prefix);
  const entries: { key: string; value: string }[] = [];
  for (let from = 0; from < keys.length; from += valuesPerStep) {
    const step = keys.slice(from, from + valuesPerStep);
    const values = (await calls.run(['MGET', ...step])) as (string | null)[];
    step.forEach((key, index) => {
      const value = values[index];
      if (typeof value === 'string') entries.push({ key, value });
    });
  }
  return entries;
};

/** The TTL for the server: whole ms, at least one; empty for an entry that does not expire. */
const ttlOf = ({ ttlMs }: SetOptions): readonly string[] =>
  ttlMs === undefined ? [] : [String(Math.max(1, Math.ceil(ttlMs)))];

const expiryOf = (options: SetOptions): readonly string[] => ttlOf(options).flatMap((ttl) => ['PX', ttl]);

/** One space of the server; each call is one command. Unpaired surrogates become U+FFFD, as in UTF-8. */
export const createSpace = (calls: Calls): KvSpace => {
  const { run } = calls;

  const holds = async ({ sha, text }: Script, key: string, ...args: readonly string[]): Promise<boolean> => {
    const rest = ['1', key.toWellFormed(), ...args];
    return (await run(['EVALSHA', sha, ...rest], ['EVAL', text, ...rest])) === 1;
  };

  return {
    get: async (key) => (await run(['GET', key.toWellFormed()])) as string | null,
    async set(key, value, options = {}) {
      await run(['SET', key.toWellFormed(), value.toWellFormed(), ...expiryOf(options)]);
    },
    setIfAbsent: async (key, value, options = {}) =>
      (await run(['SET', key.toWellFormed(), value.toWellFormed(), 'NX', ...expiryOf(options)])) === 'OK',
    compareAndSet: (key, expected, value, options = {}) =>
      holds(compareAndSetScript, key, expected.toWellFormed(), value.toWellFormed(), ...ttlOf(options)),
    compareAndDelete: (key, expected) => holds(compareAndDeleteScript, key, expected.toWellFormed()),
    delete: async (key) => (await run(['DEL', key.toWellFormed()])) === 1,
    list: (prefix) => listEntries(calls, prefix.toWellFormed()),
  };
};

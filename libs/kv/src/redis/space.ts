import type { KvSpace, SetOptions } from '../port.ts';
import type { Calls } from './calls.ts';
import { listEntries } from './list.ts';
import { compareAndDeleteScript, compareAndSetScript, type Script } from './scripts.ts';

/** The TTL as the server takes it: whole ms, at least one; nothing when the entry stays. */
const ttlOf = ({ ttlMs }: SetOptions): readonly string[] =>
  ttlMs === undefined ? [] : [String(Math.max(1, Math.ceil(ttlMs)))];

const expiryOf = (options: SetOptions): readonly string[] => ttlOf(options).flatMap((ttl) => ['PX', ttl]);

/** One space of the server: each call is one command. Unpaired surrogates become U+FFFD, as they would on their way. */
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

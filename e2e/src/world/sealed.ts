import * as childProcess from 'node:child_process';
import * as crypto from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import * as net from 'node:net';
import type { Random } from '@ranger-relay/runtime';

/** Modules whose exports are replaced, for all that imported them too. */
const requireBuiltin = createRequire(import.meta.url);

/** What would let the real world in: its clocks, timers, chance, files of other processes and sockets. */
const forbidden: readonly (readonly [module: string, names: readonly string[]])[] = [
  ['node:timers', ['setTimeout', 'setInterval', 'setImmediate']],
  ['node:timers/promises', ['setTimeout', 'setInterval', 'setImmediate']],
  ['node:crypto', ['randomUUID', 'randomInt', 'randomFill'] satisfies (keyof typeof crypto)[]],
  ['node:net', ['connect', 'createConnection', 'createServer'] satisfies (keyof typeof net)[]],
  ['node:http', ['request', 'get', 'createServer'] satisfies (keyof typeof http)[]],
  ['node:https', ['request', 'get', 'createServer'] satisfies (keyof typeof https)[]],
  ['node:fs/promises', ['open', 'readFile', 'writeFile', 'readdir', 'rename', 'unlink', 'stat', 'mkdir']],
  ['node:child_process', ['spawn', 'fork', 'execFile'] satisfies (keyof typeof childProcess)[]],
];

const refuse = (name: string) => (): never => {
  throw new Error(`${name} was called inside the world, where nothing may depend on the machine`);
};

const refuseMember = (holder: object, name: string, label: string, restore: (() => void)[]): void => {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, { value: refuse(label), configurable: true, writable: true });
  restore.push(() => (before ? Object.defineProperty(holder, name, before) : Reflect.deleteProperty(holder, name)));
};

const bytesOf =
  (random: Random) =>
  (size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(random.next() * 256)));

/**
 * Runs work while every way to the machine's time, chance, timers and sockets is forbidden. Random bytes come from the given chance: they
 * are nonces of what is encrypted.
 * @throws Error naming the call, from whatever makes it
 */
export const sealed = async <T>(random: Random, work: () => Promise<T>): Promise<T> => {
  const restore: (() => void)[] = [];
  const RealDate = Date;
  class WorldDate extends RealDate {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) refuse('new Date()')();
      super(...(parts as [number]));
    }
  }
  globalThis.Date = WorldDate as DateConstructor;
  restore.push(() => void (globalThis.Date = RealDate));
  refuseMember(WorldDate, 'now', 'Date.now', restore);
  refuseMember(performance, 'now', 'performance.now', restore);
  refuseMember(Math, 'random', 'Math.random', restore);
  refuseMember(AbortSignal, 'timeout', 'AbortSignal.timeout', restore);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch'])
    refuseMember(globalThis, name, name, restore);
  for (const [module, names] of forbidden)
    for (const name of names) refuseMember(requireBuiltin(module) as object, name, `${name} of ${module}`, restore);
  const builtin = requireBuiltin('node:crypto') as { randomBytes: unknown };
  const { randomBytes } = builtin;
  builtin.randomBytes = bytesOf(random);
  restore.push(() => void (builtin.randomBytes = randomBytes));
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const each of restore.toReversed()) each();
    syncBuiltinESMExports();
  }
};

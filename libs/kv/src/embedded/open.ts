import { type Clock, type Logger, repeatAtRate } from '@ranger-relay/runtime';
import type { SqlRow, SqlValue, SqlWrite } from '@ranger-relay/sqlite';
import type { KeyValue, KvSpace, KvSpaceName, SetOptions } from '../port.ts';
import { openOrRebuild, type Rebuilt } from './damaged.ts';
import { createLink, type Link } from './link.ts';
import { endOfPrefix, reads, spaceNumber, statements, storedTime, storeTime, sweepStatement } from './statements.ts';
import { createCommandBatcher, type CommandBatcher } from './command-batcher.ts';

const wrote = (rows: readonly SqlRow[]): boolean => rows.length > 0;

/** Running time of the store, over all its processes, whole ms. */
type RunningTime = () => number;

/** Continues the running time of the file. */
const continueTime = async ({ carry }: Pick<Link, 'carry'>, clock: Clock): Promise<RunningTime> => {
  const [rows] = await carry([{ sql: storedTime, params: [[]] }]);
  const before = Number(rows?.[0]?.['ms'] ?? 0);
  const start = clock.monotonic();
  return () => before + Math.trunc(clock.monotonic() - start);
};

const writeOf = (time: RunningTime): SqlWrite => ({ sql: storeTime, params: [[time()]] });

/** Stores the time with each write: after a kill, no entry lives longer than its time to live. */
const withTime = (unit: readonly SqlWrite[], time: RunningTime): readonly SqlWrite[] =>
  unit.every(({ sql }) => reads.has(sql)) ? unit : [...unit, writeOf(time)];

/** One space of the embedded store; each call is one statement of the batch. */
const createSpace = (name: KvSpaceName, turns: CommandBatcher, time: RunningTime): KvSpace => {
  const space = spaceNumber[name];
  const expiry = ({ ttlMs }: SetOptions): number | null => (ttlMs === undefined ? null : Math.ceil(time() + ttlMs));
  // Some statements would store unpaired surrogates as U+FFFD, others would not.
  const run = (call: keyof typeof statements, key: string, ...more: SqlValue[]): Promise<readonly SqlRow[]> =>
    turns.run(statements[call], [space, key.toWellFormed(), time(), ...more]);

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

const everyMs = 60_000;
const perUnit = 1_000;
const unitsPerRun = 600;

/**
 * Stores the running time and deletes expired entries in the background, every minute, in small units that let calls run in between. One run deletes at most 600,000
 * entries. Returns the function that stops it.
 */
export const startSweeping = (link: Pick<Link, 'carry'>, clock: Clock, time: RunningTime): (() => Promise<void>) => {
  const end = new AbortController();

  const sweep = async (): Promise<void> => {
    for (let unit = 0; unit < unitsPerRun && !end.signal.aborted; unit++) {
      const [swept] = await link.carry([{ sql: sweepStatement, params: [[time(), perUnit]] }, writeOf(time)]);
      if ((swept?.length ?? 0) < perUnit) return;
    }
  };

  // The link handles the failure; expired entries are invisible anyway.
  const stop = repeatAtRate({ clock, everyMs }, () => sweep().catch(() => undefined));
  return () => {
    end.abort();
    return stop();
  };
};

/** Options of `openEmbeddedKv`. */
export interface EmbeddedKvOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Deadline of a call, default 2000 ms. */
  readonly deadlineMs?: number;
  /** Maximum number of waiting calls, default 100,000; more are refused. */
  readonly maxWaiting?: number;
  /** Called when a damaged file was set aside, to inform the operator; the event is logged in any case. */
  readonly onRebuilt?: (rebuilt: Rebuilt) => void;
  /** Opens the existing file of another process without creating or replacing it; a damaged one is an error. */
  readonly beside?: boolean;
}

/** One file of the store. */
interface StoreFile {
  readonly link: Link;
  space(name: KvSpaceName): KvSpace;
  close(): Promise<void>;
}

const openFile = async (options: EmbeddedKvOptions, path: string, reserveBytes?: number): Promise<StoreFile> => {
  const { clock, log, deadlineMs = 2_000, maxWaiting = 100_000, beside = false } = options;
  const onRebuilt = (rebuilt: Rebuilt): void => {
    log.warn({ ...rebuilt, path }, 'the key-value store was damaged; the file is set aside and the store starts empty');
    options.onRebuilt?.(rebuilt);
  };
  const link = await createLink({
    open: () => openOrRebuild({ path, clock, onRebuilt, beside, reserveBytes }),
    clock,
    log,
    deadlineMs,
  });
  const time = await continueTime(link, clock);
  const stopSweeping = startSweeping(link, clock, time);
  const turns = createCommandBatcher((unit) => link.carry(withTime(unit, time)), maxWaiting);
  return {
    link,
    space: (name) => createSpace(name, turns, time),
    async close() {
      await turns.close();
      await stopSweeping();
      // Without it, entries live longer by the time since the last write.
      await link.carry([writeOf(time)]).catch(() => undefined);
      await link.close();
    },
  };
};

/** The file of `reserved`, beside that of the other spaces. */
export const reservedPath = (path: string): string => `${path.replace(/\.sqlite$/, '')}-reserved.sqlite`;

/** Room for the values of `reserved`; its file never grows beyond, so a full disk does not concern it. */
const reserveBytes = 262_144;

/**
 * Opens the key-value store in two SQLite files and creates them if they are missing. Sets a damaged one aside as `<path>.damaged-<time>` and
 * starts with an empty one: the loss of the store loses no data.
 * @throws RelayError of a file when it can be neither opened nor replaced: `data_dir_unusable`, `store_full`
 */
export const openEmbeddedKv = async (options: EmbeddedKvOptions): Promise<KeyValue> => {
  const main = await openFile(options, options.path);
  const quiet = { ...options, onRebuilt: () => undefined };
  const reserved = await openFile(quiet, reservedPath(options.path), reserveBytes).catch(async (error: unknown) => {
    await main.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => void (await Promise.all([main.close(), reserved.close()]));
  return {
    state: main.space('state'),
    config: main.space('config'),
    reserved: reserved.space('state'),
    ready: main.link.ready,
    generation: main.link.generation,
    close: () => (closing ??= close()),
  };
};

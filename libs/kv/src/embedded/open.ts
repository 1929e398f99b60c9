import { type Clock, type Logger, repeatAtRate } from '@ranger-relay/runtime';
import type { SqlRow, SqlValue } from '@ranger-relay/sqlite';
import type { KeyValue, KvSpace, KvSpaceName, SetOptions } from '../port.ts';
import { openOrRebuild, type Rebuilt } from './damaged.ts';
import { createLink, type Link } from './link.ts';
import { endOfPrefix, spaceNumber, statements, sweepStatement } from './statements.ts';
import { createCommandBatcher, type CommandBatcher } from './command-batcher.ts';

const wrote = (rows: readonly SqlRow[]): boolean => rows.length > 0;

/** One space of the embedded store: each call is one statement of the turn. */
const createSpace = (name: KvSpaceName, turns: CommandBatcher, clock: Clock): KvSpace => {
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

const everyMs = 60_000;
const perUnit = 1_000;
const unitsPerRun = 600;

/**
 * Deletes expired entries in the background, every minute, in small units that leave room for calls between them.
 * One run takes at most 600,000 entries; the rest waits for the next. Returns the function that ends it.
 */
export const startSweeping = (link: Pick<Link, 'carry'>, clock: Clock): (() => Promise<void>) => {
  const end = new AbortController();

  const sweep = async (): Promise<void> => {
    for (let unit = 0; unit < unitsPerRun && !end.signal.aborted; unit++) {
      const [swept] = await link.carry([{ sql: sweepStatement, params: [[clock.now(), perUnit]] }]);
      if ((swept?.length ?? 0) < perUnit) return;
    }
  };

  // A failure is known to the link already; expired entries are invisible anyway.
  const stop = repeatAtRate({ clock, everyMs }, () => sweep().catch(() => undefined));
  return () => {
    end.abort();
    return stop();
  };
};

/** How to open the embedded store. */
export interface EmbeddedKvOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** For each call, default 2000 ms. */
  readonly deadlineMs?: number;
  /** Most calls that wait for their answer at once, default 100,000; more are refused. */
  readonly maxWaiting?: number;
  /** Hears of a damaged file that was put aside, so that a person is told; it is logged in any case. */
  readonly onRebuilt?: (rebuilt: Rebuilt) => void;
  /** Opens an existing file beside its owner, without creating or replacing it; a damaged one is an error. */
  readonly beside?: boolean;
}

/**
 * Opens the key-value store in one SQLite file, creating it when it is missing. A damaged file is put aside as
 * `<path>.damaged-<time>` and an empty one takes its place: what the store holds can be lost without losing data.
 * @throws RelayError of the file when it can be neither opened nor replaced: `data_dir_unusable`, `store_full`
 */
export const openEmbeddedKv = async (options: EmbeddedKvOptions): Promise<KeyValue> => {
  const { path, clock, log, deadlineMs = 2_000, maxWaiting = 100_000, beside = false } = options;
  const onRebuilt = (rebuilt: Rebuilt): void => {
    log.warn({ ...rebuilt, path }, 'the key-value store was damaged; the file is set aside and the store starts empty');
    options.onRebuilt?.(rebuilt);
  };
  const link = await createLink({
    open: () => openOrRebuild({ path, clock, onRebuilt, beside }),
    clock,
    log,
    deadlineMs,
  });
  const stopSweeping = startSweeping(link, clock);
  const turns = createCommandBatcher(link.carry, maxWaiting);

  const close = async (): Promise<void> => {
    await turns.close();
    await stopSweeping();
    await link.close();
  };
  let closing: Promise<void> | undefined;

  return {
    state: createSpace('state', turns, clock),
    config: createSpace('config', turns, clock),
    ready: link.ready,
    generation: link.generation,
    close: () => (closing ??= close()),
  };
};

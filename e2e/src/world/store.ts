import { type KeyValue } from '@ranger-relay/kv';
import { RelayError } from '@ranger-relay/errors';
import { MemoryEntries, memoryKv } from '@ranger-relay/kv/testing';
import { within } from '@ranger-relay/runtime';
import type { SimulatedProcess } from './process.ts';
import type { LeaseWatch } from './runs.ts';
import type { Simulation } from './simulation.ts';

/** Deadline of each call, ms. */
const deadlineMs = 2_000;

const late = (): never => {
  throw new RelayError('kv_unavailable', { details: { reason: `no response within ${deadlineMs} ms` } });
};

const readingOps = new Set(['get', 'list', 'keys']);

/** One command on its way to the store. */
interface Command {
  readonly name: string;
  readonly act: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The store of a world. */
export interface WorldStore {
  /** The client of one process. */
  connect(process: SimulatedProcess): KeyValue;
  /** Loses everything, as a restart without a file. */
  restartEmpty(): void;
  /** Goes over to a replica that lacks the writes of the last `ms`. */
  failOver(ms: number): void;
  /** Keys that never expire. */
  lasting(): string[];
  /** First parts of the keys that were ever written. */
  kinds(): ReadonlySet<string>;
  /** Whether a key of the state space exists. */
  exists(key: string): boolean;
}

/** How long writes are remembered for a fail-over, ms. */
const memoryMs = 20 * 60_000;

const minCrowd = 100;

/** What a write replaced. */
interface Write {
  readonly at: number;
  readonly entries: MemoryEntries;
  readonly key: string;
  readonly before: ReturnType<MemoryEntries['get']>;
}

const purgeMs = 3_600_000;

/** Starts a store. */
export const createWorldStore = (
  { clock, note }: Simulation,
  watch?: Pick<LeaseWatch, 'took' | 'writes'>,
): WorldStore => {
  const spaces = { state: { entries: new MemoryEntries() }, config: { entries: new MemoryEntries() } };
  let generation = 1;
  let writes: Write[] = [];
  const kinds = new Set<string>();
  /** Number of writes at which the old ones are dropped. */
  let crowd = minCrowd;

  /** Redis deletes expired entries too. */
  const purge = (): void => {
    const now = clock.monotonic();
    for (const { entries } of Object.values(spaces))
      for (const [key, { until }] of entries) if (until <= now) entries.delete(key);
    clock.after(purgeMs, purge);
  };
  purge();

  /** Remembers what a call replaces. */
  const remember = (entries: MemoryEntries, key: string): void => {
    const at = clock.monotonic();
    kinds.add(key.split('.')[0] ?? '');
    writes.push({ at, entries, key, before: entries.get(key) });
    if (writes.length < crowd) return;
    writes = writes.filter((write) => write.at >= at - memoryMs);
    crowd = Math.max(minCrowd, 2 * writes.length);
  };
  const undo = ({ entries, key, before }: Write): void =>
    void (before ? entries.set(key, before) : entries.delete(key));

  return {
    restartEmpty() {
      note('store restarted empty');
      spaces.state.entries.clear();
      spaces.config.entries.clear();
      writes = [];
      generation += 1;
    },
    failOver(ms) {
      note(`store failed over, ${ms} ms of writes lost`);
      for (const write of writes.toReversed()) if (write.at >= clock.monotonic() - ms) undo(write);
      writes = [];
      generation += 1;
    },
    lasting: () =>
      Object.values(spaces).flatMap(({ entries }) =>
        [...entries].filter(([, { until }]) => until === Infinity).map(([key]) => key),
      ),
    kinds: () => kinds,
    exists: (key) => (spaces.state.entries.get(key)?.until ?? -Infinity) > clock.monotonic(),
    connect(process) {
      let known = generation;
      let answers = true;
      let batch: Command[] = [];
      /** Commands of one turn share a round trip, as with the real adapters. */
      const flush = async (): Promise<void> => {
        const commands = batch;
        batch = [];
        const what = `${commands.length} ${commands[0]?.name ?? ''}`;
        const round = process.call('store', what, () => {
          for (const { act } of commands) act();
          return generation;
        });
        try {
          known = await within({ clock: process.clock, ms: deadlineMs }, round, late);
          answers = true;
          for (const { resolve } of commands) resolve();
        } catch (error) {
          answers = false;
          process.reconnect('store');
          for (const { reject } of commands) reject(error);
        }
      };
      const kv = memoryKv(clock, spaces, ({ op, key, entries }, act) => {
        const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof act>>();
        let result: ReturnType<typeof act>;
        if (!readingOps.has(op)) watch?.writes(process.name, key);
        if (batch.length === 0) clock.after(0, () => process.run(() => void flush()));
        batch.push({
          name: `${op} ${key}`,
          act() {
            if (!readingOps.has(op)) remember(entries, key);
            result = act();
            if (op === 'setIfAbsent' && result === true) watch?.took(process.name, key);
          },
          resolve: () => resolve(result),
          reject,
        });
        return promise;
      });
      return { ...kv, ready: () => answers && kv.ready(), generation: () => known };
    },
  };
};

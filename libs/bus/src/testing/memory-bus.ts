import { RelayError } from '@ranger-relay/errors';
import { type Clock, type Context, createRateLimitedLog, within } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { type ConsumerStorage, createConsumers } from '../consume/consumers.ts';
import { createDeadLetterWriter } from '../consume/delivery.ts';
import { recentSince } from '../consume/lost-records.ts';
import { type ConsumeRules, defaultRules } from '../consume/partition.ts';
import { type Commit, firstCommit, startAfter, type StoredCommit } from '../consume/commit.ts';
import { decodeDone, type Done, isDone } from '../lanes.ts';
import type { Bus, BusRecord, ConsumeOptions, OutgoingRecord, ReadOptions } from '../port.ts';
import { memoryStorage, type MemoryStorage, pageOf } from './memory-storage.ts';

/** One call of `publish`. */
export interface PublishCall {
  readonly topic: string;
  readonly records: readonly OutgoingRecord[];
  readonly deadlineMs: number | undefined;
}

/** A bus in memory that records how it is used, and fails or hangs when told to. */
export interface MemoryBus extends Bus {
  /** Every call of `publish`, in order, also those that failed. */
  readonly calls: PublishCall[];
  /** The calls whose records were stored, in that order. */
  readonly published: PublishCall[];
  /** Every call of `consume`, and every call of `read`. */
  readonly consumers: ConsumeOptions[];
  readonly reads: ReadOptions[];
  /** Runs before the records of a call are stored; the call waits for it, and rejects with what it throws. */
  before: (call: PublishCall) => void | Promise<void>;
  /** Calls reject with `bus_unavailable`, and the bus is not ready. */
  away: boolean;
  /** Ends the open readings with `bus_unavailable`. */
  breakReads(): void;
  /** The records that were published to these topics, in order; and their JSON values. */
  records(...topics: readonly string[]): OutgoingRecord[];
  values(...topics: readonly string[]): Record<string, unknown>[];
}

/** The way between a bus in memory and its storage, as the network between a process and its brokers. */
export interface MemoryLink {
  /** One request and its response. */
  call<T>(what: string, act: () => T | Promise<T>): Promise<T>;
  /** Passes a notification of the storage on to the bus. */
  notify(listener: () => void): void;
}

const direct: MemoryLink = { call: async (_, act) => act(), notify: (listener) => listener() };

/** What of a process its bus uses. */
type BusContext = Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;

/** How a bus in memory is made. */
export interface MemoryBusOptions extends Partial<Omit<BusContext, 'clock'>> {
  /** That of other buses, as of other processes; its own when left out. */
  readonly storage?: MemoryStorage;
  /** Default: every call is carried out at once. */
  readonly link?: MemoryLink;
  readonly rules?: Partial<ConsumeRules>;
}

/** One partition that is read. */
interface Cursor {
  readonly records: readonly BusRecord[];
  next: number;
  readonly end: number;
  /** What is left out. */
  readonly done: Done | null;
}

/** Given parts, or those of a test. */
const contextOf = (clock: Clock, { random, log, metrics }: MemoryBusOptions): BusContext =>
  random && log && metrics
    ? { clock, random, log, metrics }
    : testContext({ clock, ...(random && { random }), ...(log && { log }), ...(metrics && { metrics }) });

const defaultDeadlineMs = 4_000;

const unavailable = (): RelayError => new RelayError('bus_unavailable', { details: { reason: 'taken away' } });

const late = (topic: string, ms: number) => (): never => {
  throw new RelayError('deadline_exceeded', { details: { what: `Publishing to ${topic}`, ms }, ambiguous: true });
};

/** Yields records up to the ends of the cursors, and new ones when it follows. `stopped` ends it quietly, `broken` with its reason. */
async function* readThrough(
  listen: (listener: () => void) => () => void,
  starting: Promise<readonly Cursor[]>,
  { follow, signal: stopped }: { readonly follow: boolean; readonly signal: AbortSignal },
  broken: AbortSignal,
): AsyncGenerator<BusRecord> {
  const cursors = await starting;
  const signal = AbortSignal.any([stopped, broken]);
  let news = Promise.withResolvers<void>();
  const notify = (): void => news.resolve();
  const silence = listen(notify);
  signal.addEventListener('abort', notify, { once: true });
  try {
    for (let more = true; more && !signal.aborted; more = follow) {
      for (const cursor of cursors)
        while (!signal.aborted && cursor.next < Math.min(cursor.records.length, cursor.end)) {
          const record = cursor.records[cursor.next++] as BusRecord;
          if (!isDone(cursor.done, record)) yield record;
        }
      if (follow && !signal.aborted) await news.promise;
      news = Promise.withResolvers<void>();
    }
    broken.throwIfAborted();
  } finally {
    silence();
  }
}

const commitPauseMs = 1_000;

/** Stores commits until that succeeds; calls of one link arrive in order. */
const createCommits = ({ call }: MemoryLink, clock: Clock, write: (commit: StoredCommit) => boolean) => {
  let newest: StoredCommit | undefined;
  const send = async (commit: StoredCommit): Promise<void> => {
    try {
      await call('commit', () => write(commit));
    } catch {
      await clock.sleep(commitPauseMs);
      if (commit === newest) await send(commit);
    }
  };
  return {
    commit(commit: Commit): void {
      newest = commit;
      void send(commit);
    },
    commitNow(commit: Commit): Promise<boolean> {
      newest = commit;
      return call('commit', () => write(commit));
    },
    owned: () => true,
  };
};

/** What consumers of `bus` need of the storage. */
const consumerStorageOf = (
  storage: MemoryStorage,
  bus: Bus,
  context: BusContext,
  { call, notify }: MemoryLink,
): ConsumerStorage => ({
  partitions: (topic) => storage.topic(topic).partitions.length,
  async begin({ topic, group, from }) {
    const { newer } = await bus.lastRecords(topic, 0);
    const since = { earliest: 0, recent: recentSince(context.clock.now(), newer), latest: Infinity }[from];
    await call('begin', () => {
      for (const [partition, records] of storage.topic(topic).partitions.entries()) {
        if (storage.committed(topic, group, partition) !== undefined) continue;
        const first = records.findIndex(({ storedAt }) => storedAt >= since);
        storage.begin(topic, group, partition, BigInt(first < 0 ? records.length : first));
      }
    });
  },
  start: (settings, partition) =>
    call('committed', () => {
      const { topic, group } = settings;
      const stored = storage.committed(topic, group, partition) ?? { ...firstCommit(0n), announced: null };
      return startAfter(stored, BigInt(storage.topic(topic).partitions[partition]?.length ?? 0), settings);
    }),
  source(settings, partition) {
    const { topic, group } = settings;
    const made = storage.topic(topic);
    const records = made.partitions[partition] ?? [];
    /** A topic that was deleted is not the one that has its name now. */
    const isThere = (): boolean => storage.topic(topic) === made;
    return {
      async fetch(request) {
        if (!bus.ready() || !isThere()) throw unavailable();
        return call('fetch', () => pageOf(records, request));
      },
      ...createCommits(
        { call, notify },
        context.clock,
        (commit) => isThere() && storage.commit(topic, group, partition, commit),
      ),
      lag: async (done) => records.length - Number(done()),
      failingSince: () => null,
      deadLetter: createDeadLetterWriter({ ...context, publish: (...args) => bus.publish(...args) }, settings),
    };
  },
  listen: (topic, partition, listener) => storage.listen(topic, partition, () => notify(listener)),
  flush: () => call('flush', () => undefined),
  alive: () => true,
});

/** Makes a bus whose time is that of `clock` alone. */
export const memoryBus = (clock: Clock, options: MemoryBusOptions = {}): MemoryBus => {
  const { storage = memoryStorage(), link = direct, rules } = options;
  const context = contextOf(clock, options);
  const closing = new AbortController();
  let breaking = new AbortController();

  const checkReady = (): void => {
    if (!bus.ready()) throw unavailable();
  };

  const cursorsOf = async ({ topic, offsets, from = 'earliest', follow }: ReadOptions): Promise<Cursor[]> => {
    checkReady();
    return storage.topic(topic).partitions.map((records, partition) => {
      const commit = storage.committed(topic, from.replace('undone:', ''), partition);
      const start = from === 'latest' ? BigInt(records.length) : (commit?.offset ?? 0n);
      return {
        records,
        next: Number(offsets?.get(partition) ?? start),
        end: follow ? Infinity : records.length,
        done: decodeDone(commit?.done ?? ''),
      };
    });
  };

  const store = async (call: PublishCall): Promise<void> => {
    storage.topic(call.topic);
    await bus.before(call);
    checkReady();
    await link.call(`publish ${call.topic}`, () => storage.store(call.topic, call.records, clock.now()));
    bus.published.push(call);
  };

  const bus: MemoryBus = {
    calls: [],
    published: [],
    consumers: [],
    reads: [],
    before: () => undefined,
    away: false,
    breakReads() {
      breaking.abort(unavailable());
      breaking = new AbortController();
    },
    records: (...topics) =>
      bus.published.filter(({ topic }) => topics.includes(topic)).flatMap(({ records }) => records),
    values: (...topics) =>
      bus.records(...topics).map(({ value }) => JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>),
    async publish(topic, records, { deadlineMs } = {}) {
      const call = { topic, records: [...records], deadlineMs };
      bus.calls.push(call);
      const ms = deadlineMs ?? defaultDeadlineMs;
      await within({ clock, ms }, store(call), late(topic, ms));
    },
    async consume(consumer) {
      bus.consumers.push(consumer);
      return consumers.consume(consumer);
    },
    async consumeTogether(first, second) {
      bus.consumers.push(first, second);
      return consumers.consumeTogether(first, second);
    },
    read(wanted) {
      const { offsets, follow = false } = wanted;
      bus.reads.push({ ...wanted, ...(offsets ? { offsets: new Map(offsets) } : {}) });
      const starting = link.call('read', () => cursorsOf(wanted));
      starting.catch(() => undefined);
      const signal = AbortSignal.any([closing.signal, ...(wanted.signal ? [wanted.signal] : [])]);
      const listen = (listener: () => void): (() => void) =>
        storage.listen(wanted.topic, null, () => link.notify(listener));
      return readThrough(listen, starting, { follow, signal }, breaking.signal);
    },
    async pending(topic, group) {
      checkReady();
      return link.call('pending', () => storage.pending(topic, group));
    },
    async lastRecords(topic, time) {
      checkReady();
      return link.call('last records', () => {
        const last = storage.topic(topic).partitions.flatMap((records) => records.at(-1)?.storedAt ?? []);
        return { partitions: last.length, newer: last.filter((at) => at > time) };
      });
    },
    ready: () => !bus.away && !closing.signal.aborted,
    topicProblems: () => [],
    lowLimits: () => [],
    async close() {
      await consumers.close();
      closing.abort();
    },
  };
  const consumers = createConsumers(consumerStorageOf(storage, bus, context, link), {
    ...context,
    limitedLog: createRateLimitedLog(context),
    groups: storage.groups,
    rules: { ...defaultRules, ...rules },
  });
  return bus;
};

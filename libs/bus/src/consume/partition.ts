import { type DeadLetterKind, deadLetterKindSchema } from '@ranger-relay/contracts';
import { isRelayError, type RelayError, toRelayError } from '@ranger-relay/errors';
import {
  type Backoff,
  type Clock,
  delayFor,
  endsWithin,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
  type Timer,
} from '@ranger-relay/runtime';
import { createLanes, type Delivery, type FetchRequest } from '../lanes.ts';
import type { BusRecord, ConsumeOptions, DeadLetterDraft, Handler, Subscription } from '../port.ts';
import { type Ending, runDelivery } from './delivery.ts';

/** A page of records; `exhausted` when nothing lies behind its last one within what was asked for. */
export interface Page {
  readonly records: readonly BusRecord[];
  readonly exhausted: boolean;
}

/** What an adapter does for one partition of one group. */
export interface PartitionSource {
  /** Records from an offset on. */
  fetch(request: FetchRequest): Promise<Page>;
  /** Everything before `offset` is done; stored soon, at the latest when the subscription closes. */
  commit(offset: bigint): void;
  /** Resolves when the dead letter is durable. */
  deadLetter(record: BusRecord, letter: DeadLetterDraft, attempts: number): Promise<void>;
  /** How many records lie at the offset up to which all is done, and behind it, fetched or not. */
  lag(done: () => bigint): Promise<number>;
  /** Since when records cannot be fetched although no fetch has failed yet, or none is open, monotonic ms; null while they can. */
  failingSince(): number | null;
}

/** What a running partition needs beside its source. */
export interface PartitionDependencies {
  readonly partition: number;
  readonly start: bigint;
  readonly settings: ConsumeSettings;
  readonly rules: ConsumeRules;
  readonly source: PartitionSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
}

/** What a consumer works with: its options with the defaults filled in. */
export interface ConsumeSettings {
  readonly topic: string;
  readonly group: string;
  readonly handle: Handler;
  readonly lane: ((record: Pick<BusRecord, 'key' | 'headers' | 'value'>) => string) | null;
  readonly from: 'recent' | 'earliest' | 'latest';
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  /** Null for the bound of the adapter. */
  readonly maxAhead: number | null;
  /** Null for the bound of the adapter. */
  readonly maxRunning: number | null;
  readonly deleteDone: boolean;
  readonly maxThrows: number;
  readonly deadLetterKind: DeadLetterKind;
}

/** Rules of every consumer of one adapter. */
export interface ConsumeRules {
  /** Lanes of one partition whose handlers run at the same time. */
  readonly maxRunning: number;
  /** Records that a partition may run ahead of its slowest lane, unless the consumer says otherwise. */
  readonly maxAhead: number;
  /** Wait between two tries of a throwing handler. */
  readonly throwBackoff: Backoff;
  /** How long closing and handing over wait for running handlers, ms. */
  readonly closeMs: number;
}

export const defaultRules: ConsumeRules = {
  maxRunning: 16,
  maxAhead: 50_000,
  throwBackoff: { baseMs: 200, maxMs: 10_000, jitterMs: 100 },
  closeMs: 10_000,
};

/** Fills in what a consumer left out. */
export const settingsOf = (options: ConsumeOptions): ConsumeSettings => {
  const kind = deadLetterKindSchema.safeParse(options.deadLetterKind);
  return {
    topic: options.topic,
    group: options.group,
    handle: options.handle,
    lane: options.lane ?? null,
    from: options.from ?? 'recent',
    maxBatch: Math.max(1, options.maxBatch ?? 500),
    maxBatchBytes: Math.max(1, options.maxBatchBytes ?? 4 * 1_048_576),
    maxAhead: options.maxAhead === undefined ? null : Math.max(1, options.maxAhead),
    maxRunning: options.maxRunning === undefined ? null : Math.max(1, options.maxRunning),
    deleteDone: options.deleteDone ?? false,
    maxThrows: Math.max(1, options.maxThrows ?? 5),
    deadLetterKind: kind.success ? kind.data : 'observation',
  };
};

/** A partition whose records cannot be fetched for so long does no work, ms. */
const notReadyMs = 30_000;

/** Records of a partition can be fetched, or could be a moment ago. */
export const canFetch = (partition: Pick<RunningPartition, 'failingMs'>): boolean => partition.failingMs() < notReadyMs;

/** The oldest record of several partitions that is not done, ms since 1970; null when none waits. */
export const oldestOf = (partitions: readonly Pick<RunningPartition, 'oldest'>[]): number | null => {
  const oldest = Math.min(...partitions.map((partition) => partition.oldest() ?? Infinity));
  return oldest === Infinity ? null : oldest;
};

/** Records of several partitions that are not done. */
export const lagOf = async (partitions: readonly Pick<RunningPartition, 'lag'>[]): Promise<number> =>
  (await Promise.all(partitions.map((partition) => partition.lag()))).reduce((sum, lag) => sum + lag, 0);

/** Shows the lag of a subscription at each scrape. */
export const showLag = (
  metrics: Metrics<MetricName>,
  labels: { readonly topic: string; readonly group: string },
  subscription: Pick<Subscription, 'lag'>,
): void =>
  metrics.onScrape(() =>
    subscription.lag().then(
      (lag) => metrics.set('relay_bus_lag_records', lag, { topic: labels.topic, group: labels.group }),
      // What cannot be counted now keeps its last value; that the bus is away shows elsewhere.
      () => undefined,
    ),
  );

/** A partition at work for one member of a group. */
export interface RunningPartition {
  /** There may be new records. */
  notify(): void;
  wake(lane?: string): void;
  /** Publish time of the oldest record that is not done; while records cannot be fetched, no later than when that began. ms since 1970. */
  oldest(): number | null;
  /** Records that are not done, fetched or not. */
  lag(): Promise<number>;
  /** For how long records cannot be fetched, ms; 0 while they can. */
  failingMs(): number;
  /** False once it has crashed: nothing is consumed any more. */
  alive(): boolean;
  /** Takes no more, aborts the signal, waits for running handlers up to the deadline. What ends later does not count. */
  stop(deadlineMs: number): Promise<void>;
}

const fetchPauseMs = 1_000;
/** A leader that moves, or a group that is shared anew, says nothing about how old the records are, ms. */
export const unnoticedMs = 5_000;

/** Failures after which fetching again is no use. */
const isLost = (error: RelayError): boolean => isRelayError(error, 'store_closed', 'store_damaged');

/** Runs one partition: fetches, delivers, settles and commits as its lanes say. */
export const startPartition = (parts: PartitionDependencies): RunningPartition => {
  const { settings, rules, source, clock, log } = parts;
  const { topic, group, lane } = settings;
  const about = { topic, group, partition: parts.partition };
  const lanes = createLanes<BusRecord>({
    start: parts.start,
    laneOf: lane,
    maxBatch: settings.maxBatch,
    maxBatchBytes: settings.maxBatchBytes,
    maxThrows: settings.maxThrows,
    maxRunning: settings.maxRunning ?? rules.maxRunning,
    maxAhead: settings.maxAhead ?? rules.maxAhead,
    throwDelay: (n) => delayFor(rules.throwBackoff, n, parts.random),
  });
  const ending = new AbortController();
  let committed = parts.start;
  let fetching = false;
  let stopping = false;
  let over = false;
  let crashed = false;
  let timer: Timer | undefined;
  let quiet: (() => void) | undefined;
  let fetchFailingSince: number | null = null;

  const crash = (error: unknown): void => {
    crashed = true;
    stopping = true;
    log.fatal({ err: error, ...about }, 'a consumer has crashed');
    ending.abort(error);
  };

  const commit = (): void => {
    const offset = lanes.commit();
    if (offset <= committed) return;
    committed = offset;
    source.commit(offset);
  };

  const settle = (name: string, end: Ending): void => {
    const now = clock.monotonic();
    if (end.kind === 'settled') lanes.settle(name, end, now);
    commit();
    if (lanes.running() === 0) quiet?.();
  };

  const deliver = async (delivery: Delivery<BusRecord>): Promise<void> => {
    const end = await runDelivery(delivery, {
      ...parts,
      signal: ending.signal,
      threw: () => lanes.threw(delivery.lane, clock.monotonic()),
      over: () => over,
    });
    if (over) return;
    settle(delivery.lane, end);
    pump();
  };

  const fetchOnce = async (request: FetchRequest): Promise<void> => {
    try {
      const page = await source.fetch(request);
      lanes.accept(page.records, page.exhausted, clock.monotonic());
      fetching = false;
      fetchFailingSince = null;
    } catch (error) {
      lanes.dropFetch();
      fetchFailingSince ??= clock.monotonic();
      const failure = toRelayError(error);
      if (isLost(failure)) return crash(failure);
      if (!stopping) log.warn({ err: failure, ...about }, 'fetching failed; retrying');
      clock.after(fetchPauseMs, () => {
        fetching = false;
        guarded();
      });
      return;
    }
    pump();
  };

  const watch = (work: Promise<void>): void => void work.catch(crash);

  const arm = (now: number): void => {
    timer?.cancel();
    const at = lanes.wakeAt(now);
    timer = at === null ? undefined : clock.after(at - now, guarded);
  };

  const pump = (): void => {
    if (stopping) return;
    const now = clock.monotonic();
    for (const delivery of lanes.take(now)) watch(deliver(delivery));
    const request = fetching ? null : lanes.fetch(now);
    if (request) {
      fetching = true;
      watch(fetchOnce(request));
    }
    arm(now);
  };

  const guarded = (): void => {
    try {
      pump();
    } catch (error) {
      crash(error);
    }
  };

  const handlersEnd = async (deadlineMs: number): Promise<void> => {
    if (deadlineMs <= 0 || lanes.running() === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    quiet = resolve;
    await endsWithin({ clock, ms: deadlineMs }, promise);
  };

  const failingMs = (): number => {
    const now = clock.monotonic();
    return now - Math.min(fetchFailingSince ?? now, source.failingSince() ?? now);
  };

  const oldest = (): number | null => {
    const known = lanes.oldest();
    const ms = failingMs();
    return ms > unnoticedMs ? Math.min(known ?? Infinity, clock.now() - ms) : known;
  };

  guarded();
  return {
    notify: () => {
      lanes.notify();
      guarded();
    },
    wake: (name) => {
      lanes.wake(name);
      guarded();
    },
    oldest,
    lag: () => source.lag(lanes.commit),
    failingMs,
    alive: () => !crashed,
    async stop(deadlineMs) {
      stopping = true;
      timer?.cancel();
      ending.abort(new DOMException('the partition is being revoked', 'AbortError'));
      await handlersEnd(deadlineMs);
      over = true;
    },
  };
};

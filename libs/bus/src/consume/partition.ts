import { isRelayError, type RelayError, toRelayError } from '@ranger-relay/errors';
import { delayFor, endsWithin, type MetricName, type Metrics, type Timer } from '@ranger-relay/runtime';
import { createLanes, type Delivery, type FetchRequest } from '../lanes.ts';
import type { BusRecord, Subscription } from '../port.ts';
import { type Ending, runDelivery } from './delivery.ts';
import type { PartitionDependencies } from './settings.ts';

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

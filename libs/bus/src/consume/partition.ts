import { isRelayError, toRelayError, type RelayError } from '@ranger-relay/errors';
import { delayFor, type Timer } from '@ranger-relay/runtime';
import { createLanes, type Delivery, type FetchRequest } from '../lanes.ts';
import type { BusRecord } from '../port.ts';
import { runDelivery, type Ending } from './delivery.ts';
import type { PartitionParts } from './parts.ts';

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
export const startPartition = (parts: PartitionParts): RunningPartition => {
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
      if (!stopping) log.warn({ err: failure, ...about }, 'fetching failed, trying again');
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

  const handlersEnd = (deadlineMs: number): Promise<void> =>
    new Promise((resolve) => {
      const giveUp = clock.after(deadlineMs, resolve);
      quiet = () => {
        giveUp.cancel();
        resolve();
      };
      if (deadlineMs <= 0 || lanes.running() === 0) quiet();
    });

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
      ending.abort(new DOMException('the partition is handed over', 'AbortError'));
      await handlersEnd(deadlineMs);
      over = true;
    },
  };
};

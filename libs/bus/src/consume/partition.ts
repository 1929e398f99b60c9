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
  type RateLimitedLog,
  type Timer,
} from '@ranger-relay/runtime';
import { createLanes, type Delivery, encodeDone, type FetchRequest } from '../lanes.ts';
import type { BusRecord, ConsumeOptions, DeadLetterDraft, Subscription, UndoneLanes } from '../port.ts';
import type { Commit, PartitionStart } from './commit.ts';
import { type Ending, runDelivery } from './delivery.ts';

/** A page of records; `exhausted` when the requested range contains no further record, at least none that was there when the partition started. */
export interface Page {
  readonly records: readonly BusRecord[];
  readonly exhausted: boolean;
}

/** The adapter's side of one partition of one group. */
export interface PartitionSource {
  /** Reads records from an offset on. */
  fetch(request: FetchRequest): Promise<Page>;
  /**
   * Commits. The adapter stores it soon, at the latest when the subscription closes, one commit of the partition at a time.
   */
  commit(commit: Commit): void;
  /** Commits at once, also what is stored already; false when this member no longer owns the partition. @throws RelayError `bus_unavailable` */
  commitNow(commit: Commit): Promise<boolean>;
  /** Whether this member certainly owns the partition, as far as is known without asking. */
  owned(): boolean;
  /** Resolves when the dead letter is durable. */
  deadLetter(record: BusRecord, letter: DeadLetterDraft, attempts: number): Promise<void>;
  /** Number of records from the first undone offset on, whether fetched or not. */
  lag(done: () => bigint): Promise<number>;
  /** Since when the adapter cannot fetch, on the monotonic clock, ms; null while it can. Covers the time before a fetch fails or is open. */
  failingSince(): number | null;
}

export interface PartitionDependencies {
  readonly partition: number;
  readonly start: PartitionStart;
  readonly settings: ConsumeSettings;
  readonly rules: ConsumeRules;
  readonly source: PartitionSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For conditions that can occur once per batch; shared by the partitions of a process. */
  readonly limitedLog: RateLimitedLog;
  readonly metrics: Metrics<MetricName>;
}

/** The options of a consumer with their defaults; null: the bound of the adapter, or one lane. */
export interface ConsumeSettings extends Required<
  Omit<ConsumeOptions, 'lane' | 'maxAhead' | 'maxRunning' | 'deadLetterKind'>
> {
  readonly lane: Required<ConsumeOptions>['lane'] | null;
  readonly maxAhead: number | null;
  readonly maxRunning: number | null;
  readonly deadLetterKind: DeadLetterKind;
}

/** Bounds and waits of all consumers of one adapter. */
export interface ConsumeRules {
  /** Maximum number of lanes of a partition whose handlers run at the same time. */
  readonly maxRunning: number;
  /** Maximum number of records between the slowest lane and the newest fetched record, unless the consumer sets its own. */
  readonly maxAhead: number;
  /** Wait before the next delivery to a handler that threw. */
  readonly throwBackoff: Backoff;
  /** Maximum wait for running handlers when a partition closes or moves, ms. */
  readonly closeMs: number;
}

export const defaultRules: ConsumeRules = {
  maxRunning: 16,
  maxAhead: 50_000,
  throwBackoff: { baseMs: 200, maxMs: 10_000, jitterMs: 100 },
  closeMs: 12_000,
};

/** Adds the defaults to the options of a consumer. */
export const settingsOf = (options: ConsumeOptions): ConsumeSettings => {
  const kind = deadLetterKindSchema.safeParse(options.deadLetterKind);
  return {
    lane: null,
    from: 'recent',
    maybeSentAtTakeOver: 'announced',
    deleteDone: false,
    ...options,
    maxBatch: Math.max(1, options.maxBatch ?? 500),
    maxBatchBytes: Math.max(1, options.maxBatchBytes ?? 4 * 1_048_576),
    maxAhead: options.maxAhead === undefined ? null : Math.max(1, options.maxAhead),
    maxRunning: options.maxRunning === undefined ? null : Math.max(1, options.maxRunning),
    maxThrows: Math.max(1, options.maxThrows ?? 5),
    deadLetterKind: kind.success ? kind.data : 'observation',
  };
};

/** A partition that cannot fetch for this long is not ready, ms. */
const notReadyMs = 30_000;

/** Whether the partition can fetch, or could until less than 30 s ago. */
export const canFetch = (partition: Pick<RunningPartition, 'failingMs'>): boolean => partition.failingMs() < notReadyMs;

/** Publication time of the oldest undone record of several partitions, ms since 1970; null when there is none. */
export const oldestOf = (partitions: readonly Pick<RunningPartition, 'oldest'>[]): number | null => {
  const oldest = Math.min(...partitions.map((partition) => partition.oldest() ?? Infinity));
  return oldest === Infinity ? null : oldest;
};

/** Sum of the lags of several partitions. */
export const lagOf = async (partitions: readonly Pick<RunningPartition, 'lag'>[]): Promise<number> =>
  (await Promise.all(partitions.map((partition) => partition.lag()))).reduce((sum, lag) => sum + lag, 0);

/** Sets the lag metric of a subscription at each scrape. */
export const showLag = (
  metrics: Metrics<MetricName>,
  labels: { readonly topic: string; readonly group: string },
  subscription: Pick<Subscription, 'lag'>,
): void =>
  metrics.onScrape(() =>
    subscription.lag().then(
      (lag) => metrics.set('relay_bus_lag_records', lag, { topic: labels.topic, group: labels.group }),
      // When the lag cannot be computed, the metric keeps its last value; other metrics show that the bus is unavailable.
      () => undefined,
    ),
  );

/** A running partition of one member of a group. */
export interface RunningPartition {
  /** Tells the partition that there may be new records. */
  notify(): void;
  wake(lane?: string): void;
  readonly undone: UndoneLanes;
  /** Publication time of the oldest undone record, ms since 1970. While the partition cannot fetch, at most the time when that began. */
  oldest(): number | null;
  /** Number of records from the first undone one on, whether fetched or not; on the embedded bus only of undone ones. */
  lag(): Promise<number>;
  /** For how long the partition cannot fetch, ms; 0 while it can. */
  failingMs(): number;
  /** False after a crash, which ends the consumption. */
  alive(): boolean;
  /** Stops fetching, aborts the signal, and waits for running handlers up to the deadline. Later outcomes are ignored. */
  stop(deadlineMs: number): Promise<void>;
}

const fetchPauseMs = 1_000;
/** Shortest time between two commits where each key is a lane, ms: what is done behind keys that wait costs time for each of them. */
const keyCommitMs = 100;
/** Failures shorter than this do not count, ms: a moving leader or a rebalance does not make records older. */
export const unnoticedMs = 5_000;

/** A commit that was accepted proves for so long that the partition is owned, ms. */
const proofMs = 5_000;

/** Whether no further fetch can succeed. */
const isLost = (error: RelayError): boolean => isRelayError(error, 'store_closed', 'store_damaged');

/** Runs one partition: fetches, delivers, settles and commits as its lanes require. */
export const startPartition = (parts: PartitionDependencies): RunningPartition => {
  const { settings, rules, source, clock, log, limitedLog } = parts;
  const { topic, group, lane } = settings;
  const about = { topic, group, partition: parts.partition };
  const lanes = createLanes<BusRecord>({
    start: parts.start.offset,
    maybeSentBelow: parts.start.maybeSentBelow,
    done: parts.start.done,
    laneOf: lane,
    maxBatch: settings.maxBatch,
    maxBatchBytes: settings.maxBatchBytes,
    maxThrows: settings.maxThrows,
    maxRunning: settings.maxRunning ?? rules.maxRunning,
    maxAhead: settings.maxAhead ?? rules.maxAhead,
    throwDelay: (n) => delayFor(rules.throwBackoff, n, parts.random),
  });
  const stopSignal = new AbortController();
  let committed: Omit<Commit, 'announced'> = { offset: parts.start.offset, done: encodeDone(parts.start.done) };
  /** Stored, or about to be; records before it may have taken effect. */
  let announced = parts.start.maybeSentBelow;
  /** Stored, and when that was proved last, on the monotonic clock, ms. */
  let stored = { announced: parts.start.maybeSentBelow, at: -Infinity };
  let fetching = false;
  let stopping = false;
  let over = false;
  let crashed = false;
  let timer: Timer | undefined;
  let commitTimer: Timer | undefined;
  let onIdle: (() => void) | undefined;
  let fetchFailingSince: number | null = null;
  /** Whether the end of the partition was reached once. */
  let isReadThrough = false;

  const crash = (error: unknown): void => {
    crashed = true;
    stopping = true;
    log.fatal({ err: error, ...about }, 'a consumer has crashed');
    stopSignal.abort(error);
  };

  const commit = (): void => {
    commitTimer?.cancel();
    commitTimer = undefined;
    const now = { offset: lanes.commit(), done: lanes.done() };
    if (over || (now.offset === committed.offset && now.done === committed.done)) return;
    committed = now;
    if (announced < now.offset) announced = now.offset;
    source.commit({ ...committed, announced });
  };

  const scheduleCommit = (): void => {
    if (lane === 'key') commitTimer ??= clock.after(keyCommitMs, commit);
    else commit();
  };

  const announce = async (through: bigint): Promise<boolean> => {
    if (over) return false;
    if (settings.maybeSentAtTakeOver === 'undone') return source.owned();
    if (through <= stored.announced && clock.monotonic() - stored.at < proofMs) return source.owned();
    if (through > announced) announced = through;
    const now = { announced, at: clock.monotonic() };
    if (!(await source.commitNow({ ...committed, announced }))) return false;
    if (now.announced >= stored.announced) stored = now;
    return source.owned();
  };

  /** A graceful end announces only what may have been sent. */
  const announceEnd = (): void => {
    if (settings.maybeSentAtTakeOver === 'undone' || lanes.running() > 0) return;
    const until = lanes.maybeSentUntil();
    if (until >= announced) return;
    announced = until;
    source.commit({ ...committed, announced });
  };

  const settle = ({ lane: name, records }: Delivery<BusRecord>, end: Ending): void => {
    const now = clock.monotonic();
    if (end.kind === 'settled') {
      lanes.settle(name, end, now);
      for (const index of end.withheld ?? []) watch(release(records[index] as BusRecord, end.after.get(index)));
    }
    scheduleCommit();
    if (lanes.running() === 0) onIdle?.();
  };

  const release = async ({ offset }: BusRecord, after: Promise<void> | undefined): Promise<void> => {
    await after;
    lanes.release(offset);
    if (!over) scheduleCommit();
  };

  const deliver = async (delivery: Delivery<BusRecord>): Promise<void> => {
    let isAnnounced = false;
    const end = await runDelivery(delivery, {
      ...parts,
      signal: stopSignal.signal,
      announce() {
        isAnnounced = true;
        return announce((delivery.records.at(-1)?.offset ?? 0n) + 1n);
      },
      isAnnounced: () => isAnnounced,
      threw: () => lanes.threw(delivery.lane, clock.monotonic(), isAnnounced),
      over: () => over,
    });
    if (over) return;
    settle(delivery, end);
    pump();
  };

  const fetchOnce = async (request: FetchRequest): Promise<void> => {
    try {
      const page = await source.fetch(request);
      lanes.accept(page.records, page.exhausted, clock.monotonic());
      isReadThrough ||= page.exhausted && request.before === null;
      fetching = false;
      fetchFailingSince = null;
    } catch (error) {
      lanes.dropFetch();
      fetchFailingSince ??= clock.monotonic();
      const failure = toRelayError(error);
      if (isLost(failure)) return crash(failure);
      const fields = { err: failure, ...about };
      if (!stopping) limitedLog.warn(`${topic}.fetch.${failure.code}`, fields, 'fetching failed; retrying');
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
    onIdle = resolve;
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
    undone: {
      has: (name) => lanes.isUndone(name) || (isReadThrough ? false : null),
      names: lanes.undone,
    },
    oldest,
    lag: () => source.lag(lanes.commit),
    failingMs,
    alive: () => !crashed,
    async stop(deadlineMs) {
      stopping = true;
      timer?.cancel();
      stopSignal.abort(new DOMException('the partition is being revoked', 'AbortError'));
      await handlersEnd(deadlineMs);
      if (!over) {
        commit();
        announceEnd();
      }
      over = true;
    },
  };
};

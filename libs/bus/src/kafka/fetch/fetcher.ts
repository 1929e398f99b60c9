import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';
import type { BusRecord } from '../../port.ts';
import { type ClusterMetadata, createSearch } from '../client/cluster-metadata.ts';
import { createFailureTracker, problemOf } from '../client/problems.ts';
import { waits } from '../client/settings.ts';
import { codes, factsOf } from '../wire/requests.ts';
import { type FetchAnswer, fetchParts } from '../wire/fetch.ts';
import type { Unreadable, UnreadablePartitions } from './unreadable.ts';

/** A request for records of one partition. */
export interface FetchRequest {
  readonly topic: string;
  /** Id of the topic that `from` is of. Default: that of the topic of this name now. */
  readonly topicId?: string | undefined;
  readonly partition: number;
  readonly from: bigint;
  readonly maxBytes: number;
  /** True: waits until there are records. Default: returns an empty result after a short wait. */
  readonly patient?: boolean;
  /** True: returns at a batch that cannot be read. Default: waits until the batch can be read. */
  readonly tolerant?: boolean;
  /** True: rejects when the broker refuses the request. Default: retries until it succeeds. */
  readonly once?: boolean;
  /** Called with the exclusive end of the readable records for every response, even when none could be read. */
  readonly onEnd?: (end: bigint) => void;
}

/** The result of one fetch; empty when no record arrived within a short wait. */
export interface FetchResult {
  readonly records: readonly BusRecord[];
  /** Exclusive end of the readable records. */
  readonly end: bigint;
  /** Offset of the next fetch. Without records and before the end, the fetch skipped only transaction markers. */
  readonly next: bigint;
  /** The batch at `next`, if it cannot be read; only for a tolerant request. */
  readonly unreadable?: Unreadable;
}

/** The broker does not have the requested offset. */
export class OutOfRange extends Error {}

/** The topic of the request was deleted; another one has its name. */
export class TopicRecreated extends OutOfRange {}

/** The broker refused a request with `once`. */
class Refused extends Error {}

/** Fetches for many consumers, with one open request per broker. */
export interface Fetcher {
  /**
   * Fetches once; an outage only delays the result. Aborting rejects with the signal's reason.
   * @throws OutOfRange, TopicRecreated, RelayError `bus_topic_unknown`; any error with `once`
   */
  fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchResult>;
  /** The latest failure of each topic; that of the brokers as a whole has the name ''. */
  failures(): ReadonlyMap<string, string>;
  /** Since when an open fetch of a partition has been failing, on the monotonic clock, ms; null when none fails. */
  failingSince(topic: string, partition: number): number | null;
  close(): void;
}

interface PendingFetch extends FetchRequest {
  readonly topicId: string | undefined;
  from: bigint;
  failingSince: number | null;
  readonly resolve: (look: FetchResult) => void;
  readonly reject: (error: unknown) => void;
}

const pauseMs = 200;
/** Pause before the next attempt at a batch that cannot be read, ms; shorter than the time after which a failure counts as over. */
const unreadablePauseMs = 2_000;
const maxParts = 200;

const keyOf = ({ topic, partition }: Pick<FetchRequest, 'topic' | 'partition'>): string => `${topic} ${partition}`;

const closedError = (): RelayError => new RelayError('bus_unavailable', { details: { reason: 'it is closed' } });

/**
 * Whether an empty response leaves the fetch open. A batch that does not fit beside others is missing in the response; the fetch keeps its turn
 * and, as the first of a request, gets the whole batch. An empty result would make its reader skip the records.
 */
const staysOpen = (pending: PendingFetch, { records, next, end }: FetchAnswer): boolean => {
  if (records.length > 0 || (next >= end && !pending.patient)) return false;
  pending.from = next;
  return true;
};

export interface FetcherDependencies {
  readonly metadata: ClusterMetadata;
  readonly clock: Clock;
  readonly log: Logger;
  /** Name of a topic in the records, without prefix. */
  readonly nameOf: (topic: string) => string;
  readonly unreadable: UnreadablePartitions;
}

export const createFetcher = ({ metadata, clock, log, nameOf, unreadable }: FetcherDependencies): Fetcher => {
  const fetches = new Set<PendingFetch>();
  const polling = new Set<number>();
  /** Fetches that wait for the metadata, because their partition has moved. */
  const moved = new Set<PendingFetch>();
  /** Fetches whose next batch cannot be read; they pause, and other partitions continue. */
  const pausing = new Set<PendingFetch>();
  const failures = createFailureTracker(
    clock,
    log,
    'records cannot be fetched now; retrying',
    'records are fetched again',
  );
  let closed = false;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || closed || fetches.size === 0) return;
    scheduled = true;
    setImmediate(pump);
  };

  /** Rejects the fetches of topics that the brokers have under another id now. */
  const rejectRecreated = (): void => {
    for (const pending of moved) {
      const now = metadata.topicId(pending.topic);
      if (pending.topicId !== undefined && now !== undefined && now !== pending.topicId)
        pending.reject(new TopicRecreated(`${pending.topic} was deleted and created again`));
    }
  };

  const search = createSearch({
    metadata: { refresh: () => metadata.refresh().then(rejectRecreated) },
    clock,
    failures,
    pauseMs,
    closed: () => closed,
    onEnd() {
      moved.clear();
      schedule();
    },
  });

  const failed = (pending: PendingFetch, problem: string): void => {
    pending.failingSince ??= clock.monotonic();
    failures.failed(keyOf(pending), problem);
  };

  /** Refreshes the metadata for this fetch; the other fetches continue meanwhile. */
  const refreshMetadata = (pending: PendingFetch, problem: string): void => {
    if (closed) return;
    if (pending.once) pending.reject(new Refused(problem));
    else failed(pending, problem);
    moved.add(pending);
    search();
  };

  const pause = (pending: PendingFetch, sentence: string): void => {
    failed(pending, sentence);
    pausing.add(pending);
    clock.after(unreadablePauseMs, () => {
      pausing.delete(pending);
      schedule();
    });
  };

  /** A fetch that waits for a future record must not block another fetch of the same partition. */
  const moveToEnd = (pending: PendingFetch): void => {
    fetches.delete(pending);
    fetches.add(pending);
  };

  /** Applies a response to a fetch that is still open. */
  const settle = (pending: PendingFetch, answer: FetchAnswer | undefined): void => {
    if (!fetches.has(pending)) return;
    if (answer?.code === codes.none) {
      pending.onEnd?.(answer.end);
      if (answer.unreadable && answer.records.length === 0) {
        const found = { ...answer.unreadable, topic: nameOf(pending.topic), partition: pending.partition };
        pending.from = answer.next;
        if (!pending.tolerant) return pause(pending, unreadable.report(pending, found));
        return pending.resolve({ records: [], end: answer.end, next: answer.next, unreadable: found });
      }
      unreadable.clear(pending);
      pending.failingSince = null;
      failures.succeeded(keyOf(pending));
      failures.succeeded('');
      if (staysOpen(pending, answer)) {
        if (answer.next >= answer.end) moveToEnd(pending);
        return;
      }
      pending.resolve({ records: answer.records, end: answer.end, next: answer.next });
      return;
    }
    if (answer?.code === codes.offsetOutOfRange) {
      pending.reject(new OutOfRange(`offset ${pending.from} of ${keyOf(pending)} does not exist`));
      return;
    }
    refreshMetadata(pending, answer ? factsOf(answer.code).message : 'the response of the broker lacks a partition');
  };

  const poll = async (node: number, batch: readonly PendingFetch[]): Promise<void> => {
    polling.add(node);
    try {
      const waitMs = batch.every(({ patient }) => patient) ? waits.idleFetch : waits.fetch;
      const answers = await fetchParts(await metadata.broker(node), batch, nameOf, waitMs);
      const by = new Map(answers.map((answer) => [keyOf(answer), answer]));
      for (const pending of batch) settle(pending, by.get(keyOf(pending)));
    } catch (error) {
      for (const pending of batch) refreshMetadata(pending, problemOf(error).message);
    }
    polling.delete(node);
    schedule();
  };

  /** Fetches by leader, longest waiting first; one request contains one offset per partition. */
  const nextBatches = (): Map<number, PendingFetch[]> => {
    const byNode = new Map<number, PendingFetch[]>();
    const taken = new Set<string>();
    for (const pending of fetches) {
      const key = keyOf(pending);
      if (moved.has(pending) || pausing.has(pending) || taken.has(key)) continue;
      const node = metadata.leader(pending.topic, pending.partition);
      if (node === undefined)
        refreshMetadata(pending, `partition ${pending.partition} of ${pending.topic} has no leader now`);
      if (node === undefined || polling.has(node)) continue;
      const batch = byNode.get(node) ?? [];
      if (batch.length >= maxParts) continue;
      taken.add(key);
      byNode.set(node, [...batch, pending]);
    }
    return byNode;
  };

  const pump = (): void => {
    scheduled = false;
    if (closed) return;
    for (const [node, batch] of nextBatches()) void poll(node, batch);
  };

  return {
    fetch: (request, signal) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closedError());
        if (signal.aborted) return reject(signal.reason as Error);
        const end = (): void => {
          fetches.delete(pending);
          moved.delete(pending);
          unreadable.clear(pending);
          signal.removeEventListener('abort', leave);
        };
        const leave = (): void => pending.reject(signal.reason);
        const pending: PendingFetch = {
          ...request,
          topicId: request.topicId ?? metadata.topicId(request.topic),
          failingSince: null,
          resolve: (look) => {
            end();
            resolve(look);
          },
          reject: (error) => {
            end();
            reject(error as Error);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        fetches.add(pending);
        schedule();
      }),
    failures: failures.byTopic,
    failingSince(topic, partition) {
      const key = keyOf({ topic, partition });
      const since = [...fetches].flatMap((pending) => (keyOf(pending) === key ? (pending.failingSince ?? []) : []));
      return since.length === 0 ? null : Math.min(...since);
    },
    close() {
      closed = true;
      for (const pending of fetches) pending.reject(closedError());
    },
  };
};

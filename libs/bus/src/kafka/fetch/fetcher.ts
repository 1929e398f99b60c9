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
  readonly told?: (end: bigint) => void;
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

/** The broker refused a request with `once`. */
class Refused extends Error {}

/** Fetches for many consumers, with one open request per broker. */
export interface Fetcher {
  /**
   * Fetches once; an outage only delays the result. Aborting rejects with the signal's reason.
   * @throws OutOfRange, RelayError `bus_topic_unknown`; any error with `once`
   */
  fetch(wish: FetchRequest, signal: AbortSignal): Promise<FetchResult>;
  /** The latest failure; null when there is none. */
  trouble(): string | null;
  /** Since when an open fetch of a partition has been failing, on the monotonic clock, ms; null when none fails. */
  failingSince(topic: string, partition: number): number | null;
  close(): void;
}

interface PendingFetch extends FetchRequest {
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
const standsStill = (want: PendingFetch, { records, next, end }: FetchAnswer): boolean => {
  if (records.length > 0 || (next >= end && !want.patient)) return false;
  want.from = next;
  return true;
};

export interface FetcherDependencies {
  readonly layout: ClusterMetadata;
  readonly clock: Clock;
  readonly log: Logger;
  /** Name of a topic in the records, without prefix. */
  readonly nameOf: (topic: string) => string;
  readonly unreadable: UnreadablePartitions;
}

export const createFetcher = ({ layout, clock, log, nameOf, unreadable }: FetcherDependencies): Fetcher => {
  const wants = new Set<PendingFetch>();
  const polling = new Set<number>();
  /** Fetches that wait for the metadata, because their partition has moved. */
  const lost = new Set<PendingFetch>();
  /** Fetches whose next batch cannot be read; they pause, and other partitions continue. */
  const pausing = new Set<PendingFetch>();
  const trouble = createFailureTracker(
    clock,
    log,
    'records cannot be fetched now; retrying',
    'records are fetched again',
  );
  let closed = false;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || closed || wants.size === 0) return;
    scheduled = true;
    setImmediate(pump);
  };

  const search = createSearch({
    layout,
    clock,
    trouble,
    pauseMs,
    closed: () => closed,
    onEnd() {
      lost.clear();
      schedule();
    },
  });

  const failed = (want: PendingFetch, problem: string): void => {
    want.failingSince ??= clock.monotonic();
    trouble.failed(keyOf(want), problem);
  };

  /** Refreshes the metadata for this fetch; the other fetches continue meanwhile. */
  const lookAgain = (want: PendingFetch, problem: string): void => {
    if (closed) return;
    if (want.once) want.reject(new Refused(problem));
    else failed(want, problem);
    lost.add(want);
    search();
  };

  const pause = (want: PendingFetch, sentence: string): void => {
    failed(want, sentence);
    pausing.add(want);
    clock.after(unreadablePauseMs, () => {
      pausing.delete(want);
      schedule();
    });
  };

  /** A fetch that waits for a future record must not block another fetch of the same partition. */
  const standBack = (want: PendingFetch): void => {
    wants.delete(want);
    wants.add(want);
  };

  /** Applies a response to a fetch that is still open. */
  const settle = (want: PendingFetch, answer: FetchAnswer | undefined): void => {
    if (!wants.has(want)) return;
    if (answer?.code === codes.none) {
      want.told?.(answer.end);
      if (answer.unreadable && answer.records.length === 0) {
        const found = { ...answer.unreadable, topic: nameOf(want.topic), partition: want.partition };
        want.from = answer.next;
        if (!want.tolerant) return pause(want, unreadable.report(want, found));
        return want.resolve({ records: [], end: answer.end, next: answer.next, unreadable: found });
      }
      unreadable.clear(want);
      want.failingSince = null;
      trouble.succeeded(keyOf(want));
      trouble.succeeded('');
      if (standsStill(want, answer)) {
        if (answer.next >= answer.end) standBack(want);
        return;
      }
      want.resolve({ records: answer.records, end: answer.end, next: answer.next });
      return;
    }
    if (answer?.code === codes.offsetOutOfRange) {
      want.reject(new OutOfRange(`offset ${want.from} of ${keyOf(want)} does not exist`));
      return;
    }
    lookAgain(want, answer ? factsOf(answer.code).message : 'the response of the broker lacks a partition');
  };

  const poll = async (node: number, batch: readonly PendingFetch[]): Promise<void> => {
    polling.add(node);
    try {
      const waitMs = batch.every(({ patient }) => patient) ? waits.idleFetch : waits.fetch;
      const answers = await fetchParts(await layout.broker(node), batch, nameOf, waitMs);
      const by = new Map(answers.map((answer) => [keyOf(answer), answer]));
      for (const want of batch) settle(want, by.get(keyOf(want)));
    } catch (error) {
      for (const want of batch) lookAgain(want, problemOf(error).message);
    }
    polling.delete(node);
    schedule();
  };

  /** Fetches by leader, longest waiting first; one request contains one offset per partition. */
  const load = (): Map<number, PendingFetch[]> => {
    const loads = new Map<number, PendingFetch[]>();
    const taken = new Set<string>();
    for (const want of wants) {
      const key = keyOf(want);
      if (lost.has(want) || pausing.has(want) || taken.has(key)) continue;
      const node = layout.leader(want.topic, want.partition);
      if (node === undefined) lookAgain(want, `partition ${want.partition} of ${want.topic} has no leader now`);
      if (node === undefined || polling.has(node)) continue;
      const batch = loads.get(node) ?? [];
      if (batch.length >= maxParts) continue;
      taken.add(key);
      loads.set(node, [...batch, want]);
    }
    return loads;
  };

  const pump = (): void => {
    scheduled = false;
    if (closed) return;
    for (const [node, batch] of load()) void poll(node, batch);
  };

  return {
    fetch: (wish, signal) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closedError());
        if (signal.aborted) return reject(signal.reason as Error);
        const end = (): void => {
          wants.delete(want);
          lost.delete(want);
          unreadable.clear(want);
          signal.removeEventListener('abort', leave);
        };
        const leave = (): void => want.reject(signal.reason);
        const want: PendingFetch = {
          ...wish,
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
        wants.add(want);
        schedule();
      }),
    trouble: () => trouble.current(),
    failingSince(topic, partition) {
      const key = keyOf({ topic, partition });
      const since = [...wants].flatMap((want) => (keyOf(want) === key ? (want.failingSince ?? []) : []));
      return since.length === 0 ? null : Math.min(...since);
    },
    close() {
      closed = true;
      for (const want of wants) want.reject(closedError());
    },
  };
};

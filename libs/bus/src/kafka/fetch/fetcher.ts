import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';
import type { BusRecord } from '../../port.ts';
import { type ClusterMetadata, createSearch } from '../client/cluster-metadata.ts';
import { createFailureTracker, problemOf } from '../client/problems.ts';
import { waits } from '../client/settings.ts';
import { codes, factsOf } from '../wire/requests.ts';
import { type FetchAnswer, fetchParts } from '../wire/fetch.ts';
import type { Unreadable, UnreadablePartitions } from './unreadable.ts';

/** Where to read one partition next. */
export interface FetchRequest {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly maxBytes: number;
  /** Stands until there are records; without it a short wait that brings none ends it too. */
  readonly patient?: boolean;
  /** A batch that cannot be read ends it; without this it waits until the batch can be read. */
  readonly tolerant?: boolean;
  /** Whatever the broker refuses ends it; without this it is tried again until it succeeds. */
  readonly once?: boolean;
  /** Hears the end of what may be read, exclusive, with every answer, also when nothing could be read. */
  readonly told?: (end: bigint) => void;
}

/** What one look brought: maybe nothing, when nothing new came within a short wait. */
export interface FetchResult {
  readonly records: readonly BusRecord[];
  /** End of what may be read, exclusive. */
  readonly end: bigint;
  /** Where to go on; with no records and before the end, only marks of transactions were passed. */
  readonly next: bigint;
  /** What lies at `next` and cannot be read; of a tolerant look alone. */
  readonly unreadable?: Unreadable;
}

/** The offset is outside of what the broker has. */
export class OutOfRange extends Error {}

/** The broker refused what was asked once. */
class Refused extends Error {}

/** Reads partitions of many consumers with one open request to each broker. */
export interface Fetcher {
  /**
   * Looks once; an outage only makes it take longer. Aborting ends it with the signal's reason.
   * @throws OutOfRange, RelayError `bus_topic_unknown`; any error with `once`
   */
  fetch(wish: FetchRequest, signal: AbortSignal): Promise<FetchResult>;
  /** Why a request failed lately; null when none did. */
  trouble(): string | null;
  /** Since when an open look at a partition fails, monotonic ms; null when none does. */
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
/** A batch that cannot be read is asked for again after so long; shorter than failures count as fresh. */
const unreadablePauseMs = 2_000;
const maxParts = 200;

const keyOf = ({ topic, partition }: Pick<FetchRequest, 'topic' | 'partition'>): string => `${topic} ${partition}`;

const closedError = (): RelayError => new RelayError('bus_unavailable', { details: { reason: 'it is closed' } });

/**
 * Brings nothing, and the want goes on. A batch that does not fit beside others comes empty although it is there: the want then keeps
 * its turn, and first in a request the broker gives it whole. Were it answered, its reader would take the records for passed.
 */
const standsStill = (want: PendingFetch, { records, next, end }: FetchAnswer): boolean => {
  if (records.length > 0 || (next >= end && !want.patient)) return false;
  want.from = next;
  return true;
};

/** What a fetcher needs. */
export interface FetcherDependencies {
  readonly layout: ClusterMetadata;
  readonly clock: Clock;
  readonly log: Logger;
  /** The name that records carry for a topic of the brokers. */
  readonly nameOf: (topic: string) => string;
  readonly unreadable: UnreadablePartitions;
}

/** Makes the fetcher of one client. */
export const createFetcher = ({ layout, clock, log, nameOf, unreadable }: FetcherDependencies): Fetcher => {
  const wants = new Set<PendingFetch>();
  const polling = new Set<number>();
  /** Wants that wait until it was asked where their partitions lie now. */
  const lost = new Set<PendingFetch>();
  /** Wants whose next batch cannot be read: asked for again after a while, and other partitions go on. */
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

  /** The others are read while it is asked where this one lies now. */
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

  /** One that waits for what does not exist yet must not keep another want of its partition from its turn. */
  const standBack = (want: PendingFetch): void => {
    wants.delete(want);
    wants.add(want);
  };

  /** Takes an answer for a want that still stands. */
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

  /** Wants by leader: one offset a partition in one request, those that wait longest first. */
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

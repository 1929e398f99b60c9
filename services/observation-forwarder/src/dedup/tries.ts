import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { markMs } from './claim.ts';
import { lru } from '../lru.ts';
import { epochKey, epochTime } from '../parking/flags.ts';

/** The two things an event holds. */
export type Part = 'observation' | 'message';

/** How often each part was sent, as far as it counts. */
export type TryCounts = { [part in Part]: number };

/** An event with its counts; `load` fills these in. */
export interface Tried {
  readonly event: SourceEvent;
  readonly tries: TryCounts;
}

/**
 * Remembers in the store how often a text was sent, and the position of an SOS. The platform may have marked such an item as seen without
 * storing it, so its repetition must look different (device contract, forwarder: ambiguous answer). Ordinary positions are repeated
 * unchanged and not counted.
 */
export interface Tries {
  /** Reads the counts; one that cannot be known counts as one. Counts that came with parked records are never lowered. */
  load(events: readonly Tried[]): Promise<void>;
  /** Writes down, before the call, that these are sent once more. */
  begin(part: Part, events: readonly Tried[]): Promise<void>;
  /** The call did not take them. */
  withdraw(part: Part, events: readonly Tried[]): Promise<void>;
  /** Counts a failure of this item alone. Returns how often that happened, and since when, ms since 1970. */
  failedAlone(part: Part, event: SourceEvent): Promise<{ readonly count: number; readonly since: number }>;
}

/** Header of parked records: the counts of observation and message. */
export const triesHeader = 'delivery-attempts';

const remembered = 50_000;

const keyOf = (prefix: string, part: Part, { integration_id: integration, event_id: id }: SourceEvent): string =>
  `${prefix}.${part}.${integration}.${id}`;

const counts = (part: Part, event: SourceEvent): boolean =>
  event[part] !== null && (part === 'message' || Boolean(event.sos));

const numberIn = (text: string | null | undefined): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
};

/** Counts that a parked record brought along. */
export const triesIn = (headers: Readonly<Record<string, string>>): TryCounts => {
  const [observation, message] = (headers[triesHeader] ?? '').split(',');
  return { observation: numberIn(observation), message: numberIn(message) };
};

/** Headers that keep the counts with a parked record. */
export const triesHeaders = ({ observation, message }: TryCounts): Record<string, string> =>
  observation + message > 0 ? { [triesHeader]: `${observation},${message}` } : {};

const quietly = (error: unknown): undefined => {
  if (!isRelayError(error, 'kv_unavailable')) throw error;
  return undefined;
};

interface LoneFailures {
  readonly count: number;
  readonly since: number;
}

const readLone = (text: string | null | undefined): LoneFailures | undefined => {
  const [count, since] = (text ?? '').split('@').map(Number);
  return count && since ? { count, since } : undefined;
};

/** Makes the memory of one process on the store's state space. */
export const createTries = (state: KvSpace, clock: Pick<Clock, 'now'>): Tries => {
  const local = lru<string, number>(remembered);
  const lone = lru<string, LoneFailures>(remembered);
  const kept = { ttlMs: markMs };

  /** A count may have been there and be gone: the store was emptied since, or the count has expired. */
  const forgotten = (event: SourceEvent, emptiedAt: number): boolean =>
    Date.parse(event.received_at) <= Math.max(emptiedAt, clock.now() - markMs);

  const write = async (part: Part, events: readonly Tried[], change: 1 | -1): Promise<void> => {
    const counted = events.filter(({ event }) => counts(part, event));
    await Promise.all(
      counted.map(({ event, tries }) => {
        tries[part] += change;
        const key = keyOf('tries', part, event);
        local.set(key, tries[part]);
        return state.set(key, String(tries[part]), kept).catch(quietly);
      }),
    );
  };

  return {
    async load(events) {
      const due = events.flatMap((tried) =>
        (['observation', 'message'] as const).flatMap((part) => (counts(part, tried.event) ? [{ tried, part }] : [])),
      );
      if (due.length === 0) return;
      const [epoch, ...stored] = await Promise.all(
        [epochKey, ...due.map(({ tried, part }) => keyOf('tries', part, tried.event))].map((key) =>
          state.get(key).catch(quietly),
        ),
      );
      const emptiedAt = epochTime(epoch);
      for (const [index, { tried, part }] of due.entries()) {
        const own = local.get(keyOf('tries', part, tried.event));
        const text = stored[index];
        const unknown = text === undefined || (text === null && forgotten(tried.event, emptiedAt));
        tried.tries[part] = Math.max(tried.tries[part], own ?? (unknown ? 1 : numberIn(text)));
      }
    },
    begin: (part, events) => write(part, events, 1),
    withdraw: (part, events) => write(part, events, -1),
    async failedAlone(part, event) {
      const key = keyOf('fails', part, event);
      const before = readLone(await state.get(key).catch(quietly)) ?? lone.get(key);
      const now = { count: (before?.count ?? 0) + 1, since: before?.since ?? clock.now() };
      lone.set(key, now);
      await state.set(key, `${now.count}@${now.since}`, kept).catch(quietly);
      return now;
    },
  };
};

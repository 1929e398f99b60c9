import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { createBoundedMap, type Clock, type Random } from '@ranger-relay/runtime';
import { markMs } from './claim.ts';
import { epochKey, epochTime } from '../parking/flags.ts';

/** The two things an event holds. */
export type Part = 'observation' | 'message';

/** How often each part was sent, as far as it counts. */
export type TryCounts = { [part in Part]: number };

/** An event with its counts and what is due of it; `load` fills these in. */
export interface Tried {
  readonly event: SourceEvent;
  readonly tries: TryCounts;
  readonly due: { [part in Part]: boolean };
}

/**
 * Remembers in the store how often an item was sent without a sure answer. The platform may have marked it as seen without storing it, so its
 * repetition must look different from every try before (device contract, forwarder: ambiguous answer). What is sent once more, and each text and
 * position of an SOS, is counted before the call; an ordinary position that is sent for the first time, as most are, only after a lost answer.
 */
export interface Tries {
  /**
   * Reads the counts, and whether a text was taken before its position. Of an ordinary position only where `look` says that it may have been
   * sent before. A count that cannot be known begins at a random number from 1,000 up: counted from one again, it could repeat the number of a
   * try that nobody knows of, and the platform would take the two for one. Counts that the events have already are never lowered.
   */
  load<T extends Tried>(events: readonly T[], look: (event: T) => boolean): Promise<void>;
  /** Writes down, before the call, that these are sent once more. */
  begin(part: Part, events: readonly Tried[]): Promise<void>;
  /** The call did not take them. */
  withdraw(part: Part, events: readonly Tried[]): Promise<void>;
  /** The text was taken, or given up, while the position is still due: it is not sent again. */
  took(event: SourceEvent): Promise<void>;
  /** The answer was lost: whoever sends them next has to know. */
  lost(part: Part, events: readonly Tried[]): Promise<void>;
  /** Counts a failure of this item alone. Returns how often that happened, and since when, ms since 1970. */
  failedAlone(part: Part, event: SourceEvent): Promise<{ readonly count: number; readonly since: number }>;
}

/** Header of parked records: the counts of observation and message. */
export const triesHeader = 'delivery-attempts';

const remembered = 50_000;
/** In place of the count of a text. */
const taken = 'taken';

const keyOf = (prefix: string, part: Part, { integration_id: integration, event_id: id }: SourceEvent): string =>
  `${prefix}.${part}.${integration}.${id}`;

/** Counted before each call. */
const isCounted = (part: Part, event: SourceEvent): boolean => part === 'message' || Boolean(event.sos);

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

/** Where counts that cannot be known begin, and how many such beginnings there are. */
const unknownFrom = 1_000;
const unknownSpan = 1_000_000;

interface LoneFailures {
  readonly count: number;
  readonly since: number;
}

const readLone = (text: string | null | undefined): LoneFailures | undefined => {
  const [count, since] = (text ?? '').split('@').map(Number);
  return count && since ? { count, since } : undefined;
};

/** Makes the memory of one process on the store's state space. */
export const createTries = (state: KvSpace, clock: Pick<Clock, 'now'>, random: Pick<Random, 'next'>): Tries => {
  const local = createBoundedMap<string>(remembered);
  const lone = createBoundedMap<LoneFailures>(remembered);
  const kept = { ttlMs: markMs };

  /** A count may have been there and be gone: the store was emptied since, or the count has expired. */
  const forgotten = (event: SourceEvent, emptiedAt: number): boolean =>
    Date.parse(event.received_at) <= Math.max(emptiedAt, clock.now() - markMs);

  const unknownCount = (): number => unknownFrom + Math.floor(random.next() * unknownSpan);

  const write = async (part: Part, events: readonly Tried[]): Promise<void> => {
    await Promise.all(
      events.map(({ event, tries }) => {
        const key = keyOf('tries', part, event);
        local.set(key, String(tries[part]));
        return state.set(key, String(tries[part]), kept).catch(quietly);
      }),
    );
  };

  const change = (part: Part, events: readonly Tried[], by: 1 | -1): Promise<void> => {
    const counted = events.filter(({ event, tries }) => isCounted(part, event) || tries[part] + Math.max(by, 0) > 1);
    for (const { tries } of events) tries[part] += by;
    return write(part, counted);
  };

  return {
    async load(events, look) {
      const due = events.flatMap((tried) =>
        (['observation', 'message'] as const)
          .filter((part) => tried.event[part] !== null && (isCounted(part, tried.event) || look(tried)))
          .map((part) => ({ tried, part, key: keyOf('tries', part, tried.event) })),
      );
      if (due.length === 0) return;
      const [epoch, ...stored] = await Promise.all(
        [epochKey, ...due.map(({ key }) => key)].map((key) => state.get(key).catch(quietly)),
      );
      const emptiedAt = epochTime(epoch);
      for (const [index, { tried, part, key }] of due.entries()) {
        const text = stored[index];
        const unknown = text === undefined || (text === null && forgotten(tried.event, emptiedAt));
        const own = local.get(key);
        // Another process may have sent it since: what this one remembers is no more than a lower bound.
        const found = unknown && (own === undefined || text === null) ? unknownCount() : numberIn(text);
        tried.tries[part] = Math.max(tried.tries[part], numberIn(own), found);
        if (text === taken || own === taken) tried.due[part] = false;
      }
    },
    begin: (part, events) => change(part, events, 1),
    withdraw: (part, events) => change(part, events, -1),
    async took(event) {
      const key = keyOf('tries', 'message', event);
      local.set(key, taken);
      await state.set(key, taken, kept).catch(quietly);
    },
    lost: (part, events) =>
      write(
        part,
        events.filter(({ event }) => !isCounted(part, event)),
      ),
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

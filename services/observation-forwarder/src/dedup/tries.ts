import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock, type Random } from '@ranger-relay/runtime';
import { markMs } from './claims.ts';
import { epochKey, epochTime } from '../parking/flags.ts';

/** The two parts of an event. */
export type Part = 'observation' | 'message';

/** Number of counted send attempts per part. */
export type TryCounts = { [part in Part]: number };

/** An event with its attempt counts and the parts that are due; `load` fills in both. */
export interface Tried {
  readonly event: SourceEvent;
  readonly tries: TryCounts;
  readonly due: { [part in Part]: boolean };
}

/**
 * Stores how often an item was sent without a definite response. The platform may have marked it as seen without storing
 * it, so each repetition must differ from every earlier attempt (device contract, forwarder: ambiguous answer).
 * Repeated sends, and each text and position of an SOS, are counted before the call; the first send of an ordinary
 * position, by far the most common, only after a lost response.
 */
export interface Tries {
  /**
   * Reads the counts, and whether a text was accepted before its position. For an ordinary position, reads them only
   * when `look` returns true, that is, when it may have been sent before. A count that cannot be known continues at a
   * random distance of at least 1,000: without it, it could repeat the number of an unrecorded attempt, and the
   * platform would treat the two as one. Counts already on the events are never lowered. The events are of one
   * integration, as those of a batch are.
   */
  load<T extends Tried>(events: readonly T[], look: (event: T) => boolean): Promise<void>;
  /** Counts one more attempt for these events, before the call. */
  begin(part: Part, events: readonly Tried[]): Promise<void>;
  /** Takes the attempt back: the call did not deliver the events. */
  withdraw(part: Part, events: readonly Tried[]): Promise<void>;
  /** Records that the text was accepted or dead-lettered while the position is still due: the text is not sent again. */
  took(event: SourceEvent): Promise<void>;
  /** Records a lost response, for the next sender of these events. */
  lost(part: Part, events: readonly Tried[]): Promise<void>;
  /** Counts a failure of this item alone. Returns the number of such failures and the time of the first, ms since 1970. */
  failedAlone(part: Part, event: SourceEvent): Promise<{ readonly count: number; readonly since: number }>;
}

/** Header of parked records: the counts of observation and message. */
export const triesHeader = 'delivery-attempts';

const remembered = 50_000;
/** Stored in place of the count of an accepted text. */
const taken = 'taken';

const keyOf = (prefix: string, part: Part, { integration_id: integration, event_id: id }: SourceEvent): string =>
  `${prefix}.${part}.${integration}.${id}`;

/** Key of the newest receipt among the ordinary positions of an integration that have a count: later ones need not be looked up. */
const newestKey = (integration: string): string => `tries-newest.${integration}`;

/** Whether attempts are counted before each call. */
const isCounted = (part: Part, event: SourceEvent): boolean => part === 'message' || Boolean(event.sos);

const numberIn = (text: string | null | undefined): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
};

/** Reads the counts from the headers of a parked record. */
export const triesIn = (headers: Readonly<Record<string, string>>): TryCounts => {
  const [observation, message] = (headers[triesHeader] ?? '').split(',');
  return { observation: numberIn(observation), message: numberIn(message) };
};

/** Returns the headers that carry the counts of a parked record. */
export const triesHeaders = ({ observation, message }: TryCounts): Record<string, string> =>
  observation + message > 0 ? { [triesHeader]: `${observation},${message}` } : {};

const quietly = (error: unknown): undefined => {
  if (!isRelayError(error, 'kv_unavailable')) throw error;
  return undefined;
};

/** Smallest step of a count that cannot be known, and the size of the random range above it. */
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

/** Creates the attempt counts of one process on the store's state space. */
export const createTries = (state: KvSpace, clock: Pick<Clock, 'now'>, random: Pick<Random, 'next'>): Tries => {
  const local = new BoundedMap<string>(remembered);
  const lone = new BoundedMap<LoneFailures>(remembered);
  const kept = { ttlMs: markMs };
  const newestKept = { ttlMs: markMs + 3_600_000 };
  /** Ordinary positions whose count was drawn and is not in the store: it differs from every other without being there. */
  const drawn = new WeakSet<Tried>();

  /** Whether a count may have existed and be lost: the store was emptied since, or the count has expired. */
  const forgotten = (event: SourceEvent, emptiedAt: number): boolean =>
    Date.parse(event.received_at) <= Math.max(emptiedAt, clock.now() - markMs);

  const unknownStep = (): number => unknownFrom + Math.floor(random.next() * unknownSpan);

  /** Raises the newest receipt before the counts are written, so that no count exists that a reader may skip. */
  const raiseNewest = async (integration: string, receivedAt: number): Promise<void> => {
    const key = newestKey(integration);
    for (;;) {
      const current = await state.get(key);
      const next = String(Math.max(numberIn(current), receivedAt));
      // Written although it may stay the same: it must not expire before the counts.
      const isWritten = await (current === null
        ? state.setIfAbsent(key, next, newestKept)
        : state.compareAndSet(key, current, next, newestKept));
      if (isWritten) return;
    }
  };

  const write = async (part: Part, events: readonly Tried[]): Promise<void> => {
    const ordinary = events.filter(({ event }) => !isCounted(part, event));
    const [first] = ordinary;
    if (first) {
      const newest = Math.max(...ordinary.map(({ event }) => Date.parse(event.received_at)));
      await raiseNewest(first.event.integration_id, newest).catch(quietly);
    }
    for (const tried of ordinary) drawn.delete(tried);
    await Promise.all(
      events.map(({ event, tries }) => {
        const key = keyOf('tries', part, event);
        local.set(key, String(tries[part]));
        return state.set(key, String(tries[part]), kept).catch(quietly);
      }),
    );
  };

  const change = (part: Part, events: readonly Tried[], by: 1 | -1): Promise<void> => {
    const counted = events.filter(
      (tried) => isCounted(part, tried.event) || (tried.tries[part] + Math.max(by, 0) > 1 && !drawn.has(tried)),
    );
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
      const [first] = due;
      if (first === undefined) return;
      const [epoch, newest] = await Promise.all(
        [epochKey, newestKey(first.tried.event.integration_id)].map((key) => state.get(key).catch(quietly)),
      );
      const emptiedAt = epochTime(epoch);
      const mayHaveCount = (part: Part, event: SourceEvent): boolean =>
        isCounted(part, event) || newest === undefined || Date.parse(event.received_at) <= numberIn(newest);
      const stored = await Promise.all(
        due.map(({ tried, part, key }) =>
          mayHaveCount(part, tried.event) ? state.get(key).catch(quietly) : Promise.resolve(null),
        ),
      );
      for (const [index, { tried, part, key }] of due.entries()) {
        const text = stored[index];
        const isUnknown = text === undefined || (text === null && forgotten(tried.event, emptiedAt));
        const own = local.get(key);
        const known = Math.max(tried.tries[part], numberIn(own), numberIn(text));
        // Another process may have sent it since: the local count is only a lower bound.
        const isDrawn = isUnknown && (own === undefined || text === null);
        tried.tries[part] = isDrawn ? known + unknownStep() : known;
        if (isDrawn && !isCounted(part, tried.event)) drawn.add(tried);
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

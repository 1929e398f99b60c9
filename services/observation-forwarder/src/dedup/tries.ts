import type { SourceEvent } from '@ranger-relay/contracts';
import { epochKey, epochTime, type KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock, type Random } from '@ranger-relay/runtime';
import { markMs } from './claims.ts';
import { createStoreAccess } from './store-access.ts';

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
   * Reads the counts, and whether a text was accepted before its position; of ordinary positions, only where the index
   * says that there are some. Any process may have sent an event of which the bus has several copies. A count that
   * cannot be known continues at a random distance of at least 1,000: without it, it could repeat the number of an
   * unrecorded attempt, and the platform would treat the two as one. Counts already on the events are never lowered.
   * The events are of one integration, as those of a batch are.
   */
  load(events: readonly Tried[]): Promise<void>;
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
/** Stored for an accepted text under a key of its own, which no late write of a count replaces. */
const taken = 'taken';

const keyOf = (prefix: string, part: Part, { integration_id: integration, event_id: id }: SourceEvent): string =>
  `${prefix}.${part}.${integration}.${id}`;

const takenKey = (event: SourceEvent): string => keyOf('taken', 'message', event);

/** Positions received in the same span share an index key, ms. */
const indexSpanMs = 10 * 60_000;

/** Key that exists where ordinary positions of an integration received at about this time have a count: others need not be looked up. */
const indexKey = ({ integration_id: integration, received_at: at }: SourceEvent): string =>
  `tries-index.${integration}.${Math.floor(Date.parse(at) / indexSpanMs)}`;

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

/** A value of the store; null when absent, undefined when the store is unavailable. */
type Stored = string | null | undefined;

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
export const createTries = (
  state: KvSpace,
  clock: Clock,
  random: Pick<Random, 'next'>,
  { ask, retryWrite } = createStoreAccess(clock),
): Tries => {
  const local = new BoundedMap<string>(remembered);
  const lone = new BoundedMap<LoneFailures>(remembered);
  const kept = { ttlMs: markMs };
  const indexKept = { ttlMs: markMs + 3_600_000 };
  /** Ordinary positions whose count was drawn and is not in the store: it differs from every other without being there. */
  const drawn = new WeakSet<Tried>();

  /** Whether a count may have existed and be lost: the store was emptied since, or the count has expired. */
  const forgotten = (event: SourceEvent, emptiedAt: number): boolean =>
    Date.parse(event.received_at) <= Math.max(emptiedAt, clock.now() - markMs);

  const unknownStep = (): number => unknownFrom + Math.floor(random.next() * unknownSpan);

  const read = (key: string): Promise<Stored> => ask(() => state.get(key));

  /** Writes a count late: another process may have sent the event since. */
  const raise = async (key: string, count: string): Promise<void> => {
    for (let done = false; !done;) {
      const current = await state.get(key);
      if (current === null) done = await state.setIfAbsent(key, count, kept);
      else done = numberIn(current) >= numberIn(count) || (await state.compareAndSet(key, current, count, kept));
    }
  };

  /** Writes without reading first, so that a lost response does not matter. False when the write is retried, as `late`. */
  const put = async (
    key: string,
    value: string,
    ttl: { readonly ttlMs: number },
    late: () => Promise<unknown> = () => state.set(key, value, ttl),
  ): Promise<boolean> => {
    const isWritten = (await ask(async () => (await state.set(key, value, ttl), true))) ?? false;
    if (!isWritten) retryWrite(key, late);
    return isWritten;
  };

  const writeIndex = (events: readonly Tried[]): Promise<unknown> =>
    Promise.all([...new Set(events.map(({ event }) => indexKey(event)))].map((key) => put(key, 'some', indexKept)));

  /** Returns the events whose count the store did not acknowledge. */
  const write = async (part: Part, events: readonly Tried[]): Promise<readonly Tried[]> => {
    const ordinary = events.filter(({ event }) => !isCounted(part, event));
    for (const tried of ordinary) drawn.delete(tried);
    // The index first, so that no count exists that a reader may skip.
    await writeIndex(ordinary);
    const written = await Promise.all(
      events.map(({ event, tries }) => {
        const key = keyOf('tries', part, event);
        const count = String(tries[part]);
        local.set(key, count);
        return put(key, count, kept, () => raise(key, String(tries[part])));
      }),
    );
    return events.filter((_, index) => !written[index]);
  };

  const change = (part: Part, events: readonly Tried[], by: 1 | -1): Promise<readonly Tried[]> => {
    const counted = events.filter(
      (tried) => isCounted(part, tried.event) || (tried.tries[part] + Math.max(by, 0) > 1 && !drawn.has(tried)),
    );
    for (const { tries } of events) tries[part] += by;
    return write(part, counted);
  };

  /**
   * The next sender counts from what the store has, or will have when it executes a write late: an attempt that is not acknowledged there must
   * not be one that it can reach.
   */
  const count = async (part: Part, events: readonly Tried[], by: 1 | -1): Promise<void> => {
    for (const { event, tries } of await change(part, events, by)) {
      tries[part] += unknownStep();
      local.set(keyOf('tries', part, event), String(tries[part]));
    }
  };

  return {
    async load(events) {
      const due = events.flatMap((tried) =>
        (['observation', 'message'] as const)
          .filter((part) => tried.event[part] !== null)
          .map((part) => ({ tried, part, key: keyOf('tries', part, tried.event) })),
      );
      if (due.length === 0) return;
      const ordinary = due.filter(({ tried, part }) => !isCounted(part, tried.event));
      const indexKeys = [...new Set(ordinary.map(({ tried }) => indexKey(tried.event)))];
      const [epoch, ...found] = await Promise.all([epochKey, ...indexKeys].map(read));
      const withoutCounts = new Set(indexKeys.filter((_, index) => found[index] === null));
      const emptiedAt = epochTime(epoch);
      const mayHaveCount = (part: Part, event: SourceEvent): boolean =>
        isCounted(part, event) || !withoutCounts.has(indexKey(event));
      const stored = await Promise.all(
        due.map(({ tried: { event }, part, key }) =>
          Promise.all([
            mayHaveCount(part, event) ? read(key) : null,
            part === 'message' ? read(takenKey(event)) : null,
          ]),
        ),
      );
      for (const [index, { tried, part, key }] of due.entries()) {
        const [text, mark] = stored[index] ?? [];
        const isUnknown = text === undefined || (text === null && forgotten(tried.event, emptiedAt));
        const own = local.get(key);
        const known = Math.max(tried.tries[part], numberIn(own), numberIn(text));
        // Another process may have sent it since: the local count is only a lower bound.
        const isDrawn = isUnknown && (own === undefined || text === null);
        tried.tries[part] = isDrawn ? known + unknownStep() : known;
        if (isDrawn && !isCounted(part, tried.event)) drawn.add(tried);
        if ([own, mark].includes(taken)) tried.due[part] = false;
      }
    },
    begin: (part, events) => count(part, events, 1),
    withdraw: (part, events) => count(part, events, -1),
    async took(event) {
      local.set(keyOf('tries', 'message', event), taken);
      await put(takenKey(event), taken, kept);
    },
    async lost(part, events) {
      const ordinary = events.filter(({ event }) => !isCounted(part, event));
      await write(part, ordinary);
    },
    async failedAlone(part, event) {
      const key = keyOf('fails', part, event);
      const before = readLone(await read(key)) ?? lone.get(key);
      const now = { count: (before?.count ?? 0) + 1, since: before?.since ?? clock.now() };
      lone.set(key, now);
      await ask(() => state.set(key, `${now.count}@${now.since}`, kept));
      return now;
    },
  };
};

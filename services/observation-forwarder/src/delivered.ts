import { hash } from 'node:crypto';
import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import { type KvSpace, storeKey } from '@ranger-relay/kv';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';

/** What the platform has accepted of an event: its observation, its message ahead of it (an emergency), or all of it. */
export type Mark = 'observation' | 'message' | 'done';

type EventRef = Pick<SourceEvent, 'integration_id' | 'source' | 'event_id' | 'sos' | 'received_at' | 'kind'>;

/**
 * What was delivered of one device: fingerprints of events by the day of their receipt (days since 1970), and the accepted part of events of
 * which the other one is due.
 */
interface DeviceRecord {
  readonly days: ReadonlyMap<number, string>;
  readonly parts: ReadonlyMap<string, Exclude<Mark, 'done'>>;
}

const dayMs = 86_400_000;
/** The vendor sends an event again for up to 5 days; days without events do not count. */
const keptDays = 7;
/** A device that reports nothing for so long starts anew, ms. */
const ttlMs = 8 * dayMs;
/** Most fingerprints of a device, and of a source of a site, whose pulls know themselves what they have published. */
const maxEntries = { device: 16_384, site: 2_048 };
/** Most events of which one part is due. */
const maxParts = 1_000;
/** Characters of a fingerprint, 6 bits each: 864 events, ten minutes apart for six days, take 7.8 kB. */
const shortLength = 9;
const wholeLength = 43;

const lengthFor = ({ sos }: Pick<EventRef, 'sos'>): number => (sos ? wholeLength : shortLength);

/** Identifies an event within the record of its device; whole for an SOS, which must never be taken for another one. */
const fingerprint = (event: Pick<EventRef, 'event_id' | 'sos'>): string =>
  hash('sha256', event.event_id, 'base64url').slice(0, lengthFor(event));

/** Key of a device's record in the state space. Emergencies have one of their own, because their partition has another owner. */
export const deviceKey = ({ integration_id: id, source, sos }: Pick<EventRef, 'integration_id' | 'source' | 'sos'>) =>
  storeKey(sos ? 'emergency' : 'device', id, source);

const empty: DeviceRecord = { days: new Map(), parts: new Map() };

/** Reads a record; what cannot be read counts as forgotten. */
const decode = (text: string | null): DeviceRecord => {
  try {
    const { days, parts } = JSON.parse(text ?? '{}') as { days?: Record<string, string>; parts?: Record<string, Mark> };
    return {
      days: new Map(Object.entries(days ?? {}).map(([day, list]) => [Number(day), String(list)])),
      parts: new Map(Object.entries(parts ?? {})) as DeviceRecord['parts'],
    };
  } catch {
    return empty;
  }
};

const encode = ({ days, parts }: DeviceRecord): string =>
  JSON.stringify({ days: Object.fromEntries(days), ...(parts.size > 0 && { parts: Object.fromEntries(parts) }) });

const contains = (list: string, print: string): boolean => {
  for (let at = list.indexOf(print); at >= 0; at = list.indexOf(print, at + 1))
    if (at % print.length === 0) return true;
  return false;
};

const markIn = ({ days, parts }: DeviceRecord, print: string): Mark | undefined => {
  const part = parts.get(print);
  if (part) return part;
  for (const list of days.values()) if (contains(list, print)) return 'done';
  return undefined;
};

/** An acceptance to record. */
interface Acceptance {
  readonly event: EventRef;
  readonly mark: Mark;
}

/** Without the oldest days, and the oldest entries of the oldest day, beyond the bounds. */
const trim = (days: ReadonlyMap<number, string>, most: number): ReadonlyMap<number, string> => {
  let room = most;
  const newest = [...days].toSorted(([a], [b]) => b - a).slice(0, keptDays);
  return new Map(
    newest.flatMap(([day, list]): [number, string][] => {
      const kept = room > 0 ? list.slice(-room) : '';
      room -= kept.length;
      return kept === '' ? [] : [[day, kept]];
    }),
  );
};

/** Adds acceptances of one device to its record. */
const withAccepted = (record: DeviceRecord, accepted: readonly Acceptance[]): DeviceRecord => {
  const [first] = accepted;
  if (!first) return record;
  const [days, parts] = [new Map(record.days), new Map(record.parts)];
  for (const { event, mark } of accepted) {
    const print = fingerprint(event);
    const isDone = markIn({ days, parts: new Map() }, print) === 'done';
    parts.delete(print);
    if (isDone) continue;
    const day = Math.floor(Date.parse(event.received_at) / dayMs) || 0;
    if (mark === 'done') days.set(day, (days.get(day) ?? '') + print);
    else parts.set(print, mark);
  }
  return {
    days: trim(days, maxEntries[first.event.kind] * lengthFor(first.event)),
    parts: new Map([...parts].slice(-maxParts)),
  };
};

/** What is known to be delivered of the devices of a batch. */
export interface Delivered {
  /** Undefined when nothing of the event is known to be delivered. */
  markOf(event: EventRef): Mark | undefined;
  /** False when the store did not answer: the events are sent without deduplication. */
  readonly isKnown: boolean;
  /** Records what the platform accepted, once for each device. An unavailable store is no error: its loss means duplicates. */
  accept(accepted: readonly Acceptance[]): Promise<void>;
}

/**
 * What was delivered, by device, for the time in which an event may be delivered again (device contract, forwarder: deduplication). It may be
 * forgotten: then an event is sent again.
 */
export interface DeliveredLog {
  /** Reads the records of the events' devices, once each. */
  read(events: readonly EventRef[]): Promise<Delivered>;
}

/** After a failed call, the store is not called for so long, ms. */
const awayMs = 500;
/** Devices with acceptances that the store has not taken. */
const maxMissed = 20_000;
const maxMissedOfDevice = 1_000;
const maxWrites = 3;

/** Creates the log of one process. */
export const createDeliveredLog = (state: KvSpace, clock: Pick<Clock, 'monotonic'>): DeliveredLog => {
  const missed = new BoundedMap<readonly Acceptance[]>(maxMissed);
  let awayUntil = 0;

  /** Calls the store once; undefined when it is unavailable. */
  const ask = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    if (clock.monotonic() < awayUntil) return undefined;
    try {
      return await call();
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      awayUntil = clock.monotonic() + awayMs;
      return undefined;
    }
  };

  /**
   * Another process may write too, as an owner does that has lost its partition.
   * @returns the record as stored; undefined when the store did not take it
   */
  const write = async (
    key: string,
    known: string | null | undefined,
    accepted: readonly Acceptance[],
  ): Promise<string | undefined> => {
    let before = known;
    for (let n = 0; n < maxWrites && before !== undefined; n += 1) {
      const current = before;
      const after = encode(withAccepted(decode(current), accepted));
      const wrote = await ask(() =>
        current === null
          ? state.setIfAbsent(key, after, { ttlMs })
          : state.compareAndSet(key, current, after, { ttlMs }),
      );
      if (wrote) return after;
      before = wrote === undefined ? undefined : await ask(() => state.get(key));
    }
    return undefined;
  };

  /** @param texts the records as they were read or written last */
  const acceptOf = async (key: string, accepted: readonly Acceptance[], texts: Map<string, string | null>) => {
    const all = [...(missed.get(key) ?? []), ...accepted];
    // Before the write, so that nothing is forgotten while it is under way.
    missed.set(key, all.slice(-maxMissedOfDevice));
    const known = texts.has(key) ? texts.get(key) : await ask(() => state.get(key));
    const stored = await write(key, known, all);
    if (stored === undefined) return void texts.delete(key);
    texts.set(key, stored);
    const left = (missed.get(key) ?? []).filter((each) => !all.includes(each));
    if (left.length > 0) missed.set(key, left);
    else missed.delete(key);
  };

  return {
    async read(events) {
      const keys = [...new Set(events.map(deviceKey))];
      const found = await Promise.all(keys.map((key) => ask(() => state.get(key))));
      const texts = new Map(keys.flatMap((key, n) => (found[n] === undefined ? [] : [[key, found[n]] as const])));
      const records = new Map(
        keys.map((key, n) => [key, withAccepted(decode(found[n] ?? null), missed.get(key) ?? [])] as const),
      );
      return {
        isKnown: texts.size === keys.length,
        markOf: (event) => markIn(records.get(deviceKey(event)) ?? empty, fingerprint(event)),
        async accept(accepted) {
          const devices = Map.groupBy(accepted, ({ event }) => deviceKey(event));
          await Promise.all([...devices].map(([key, some]) => acceptOf(key, some, texts)));
        },
      };
    },
  };
};

/** Records that all of an event is delivered, as the forwarder does. @throws RelayError `kv_unavailable` */
export const recordDelivered = async (
  state: Pick<KvSpace, 'get' | 'set'>,
  event: Pick<EventRef, 'integration_id' | 'source' | 'event_id' | 'sos' | 'received_at' | 'kind'>,
): Promise<void> => {
  const before = decode(await state.get(deviceKey(event)));
  await state.set(deviceKey(event), encode(withAccepted(before, [{ event, mark: 'done' }])), { ttlMs });
};

/** What is recorded of an event, for commands that follow it. @throws RelayError `kv_unavailable` */
export const deliveredOf = async (
  state: Pick<KvSpace, 'get'>,
  event: Pick<EventRef, 'integration_id' | 'source' | 'event_id' | 'sos'>,
): Promise<Mark | undefined> => markIn(decode(await state.get(deviceKey(event))), fingerprint(event));

import { hash } from 'node:crypto';
import type { SourceEvent } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import { type KvSpace, storeKey } from '@ranger-relay/kv';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';

/** What is settled of an event, accepted or in a dead letter: its observation, its message ahead of it (an emergency), or all of it. */
export type Mark = 'observation' | 'message' | 'done';

type PartMark = Exclude<Mark, 'done'>;
type EventRef = Pick<SourceEvent, 'integration_id' | 'source' | 'event_id' | 'sos' | 'kind'>;

/**
 * What was delivered of one device: fingerprints of events by the day of their acceptance (days since 1970), and the accepted part of events of
 * which the other one is due.
 */
interface DeviceRecord {
  readonly days: ReadonlyMap<number, string>;
  readonly parts: ReadonlyMap<string, PartMark>;
}

const dayMs = 86_400_000;
/**
 * The vendor sends an event again for up to 5 days; days without events do not count. What is done behind a device that waits longer, the commit
 * tells (libs/bus/src/lanes/done.ts).
 */
const keptDays = 7;
/** A device that reports nothing for so long starts anew, ms; pulls leave out themselves what a site shows again (`recent-arrivals.ts`). */
const ttlMs = 8 * dayMs;
/**
 * Most fingerprints of a device, and of a source of a site: what a page brings again whose state was not saved. What each listing shows again
 * does not come here.
 */
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

/** Adds an acceptance. The day is that of the acceptance, and never before the newest one, so that a clock that goes back drops nothing. */
const withMark = (
  days: Map<number, string>,
  parts: Map<string, PartMark>,
  print: string,
  mark: Mark,
  day: number,
): void => {
  const before = markIn({ days, parts }, print);
  if (before === 'done') return;
  parts.delete(print);
  // One part each, from two processes, is all of it.
  const isDone = mark === 'done' || (before !== undefined && before !== mark);
  if (!isDone) return void parts.set(print, mark);
  const last = Math.max(day, ...days.keys());
  days.set(last, (days.get(last) ?? '') + print);
};

/** Both records in one, within the bounds of a device. */
const merge = (record: DeviceRecord, added: DeviceRecord, printLength: number, most: number): DeviceRecord => {
  const [days, parts] = [new Map(record.days), new Map(record.parts)];
  for (const [day, list] of added.days)
    for (let at = 0; at < list.length; at += printLength)
      withMark(days, parts, list.slice(at, at + printLength), 'done', day);
  for (const [print, mark] of added.parts) withMark(days, parts, print, mark, 0);
  return { days: trim(days, most * printLength), parts: new Map([...parts].slice(-maxParts)) };
};

/** The acceptances of one device as a record. */
const recordOf = (accepted: readonly Acceptance[], day: number): DeviceRecord => {
  const [days, parts] = [new Map<number, string>(), new Map<string, PartMark>()];
  for (const { event, mark } of accepted) withMark(days, parts, fingerprint(event), mark, day);
  return { days, parts };
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
 * What was delivered, by device, for the time in which the vendor sends an event again (device contract, forwarder: deduplication). It may be
 * forgotten, and an older snapshot is believed: a repeat of the vendor is then sent as it was, which the platform drops for 30 minutes, and an
 * undone record of a take-over with a number (`delivery_attempt`), which it keeps as another one.
 */
export interface DeliveredRecords {
  /** Reads the records of the events' devices, once each. */
  read(events: readonly EventRef[]): Promise<Delivered>;
}

/** After a failed call, the store is not called for so long, ms. */
const awayMs = 500;
/** Devices with acceptances that the store has not taken. */
const maxMissed = 20_000;
const maxWrites = 3;

/** Creates the records of one process. */
export const createDeliveredRecords = (state: KvSpace, clock: Pick<Clock, 'now' | 'monotonic'>): DeliveredRecords => {
  const missed = new BoundedMap<DeviceRecord>(maxMissed);
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
   * @param add adds to a record what is to be written
   * @returns the record as stored; undefined when the store did not take it
   */
  const write = async (
    key: string,
    known: string | null | undefined,
    add: (record: DeviceRecord) => DeviceRecord,
  ): Promise<string | undefined> => {
    let before = known;
    for (let n = 0; n < maxWrites && before !== undefined; n += 1) {
      const current = before;
      const after = encode(add(decode(current)));
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
  const acceptOf = async (
    key: string,
    accepted: readonly [Acceptance, ...Acceptance[]],
    texts: Map<string, string | null>,
  ): Promise<void> => {
    const [{ event }] = accepted;
    const join = (record: DeviceRecord, more: DeviceRecord): DeviceRecord =>
      merge(record, more, lengthFor(event), maxEntries[event.kind]);
    // Before the write, so that nothing is forgotten while it is under way.
    const added = join(missed.get(key) ?? empty, recordOf(accepted, Math.floor(clock.now() / dayMs)));
    missed.set(key, added);
    const known = texts.has(key) ? texts.get(key) : await ask(() => state.get(key));
    const stored = await write(key, known, (record) => join(record, added));
    if (stored === undefined) return void texts.delete(key);
    texts.set(key, stored);
    if (missed.get(key) === added) missed.delete(key);
  };

  return {
    async read(events) {
      const keys = [...new Set(events.map(deviceKey))];
      const found = await Promise.all(keys.map((key) => ask(() => state.get(key))));
      const texts = new Map(keys.flatMap((key, n) => (found[n] === undefined ? [] : [[key, found[n]] as const])));
      const records = new Map(keys.map((key, n) => [key, decode(found[n] ?? null)] as const));
      return {
        isKnown: texts.size === keys.length,
        markOf(event) {
          const [key, print] = [deviceKey(event), fingerprint(event)];
          const [stored, here] = [records, missed].map((known) => markIn(known.get(key) ?? empty, print));
          // Two marks that differ are one part each, or all and a part.
          return stored !== undefined && here !== undefined && stored !== here ? 'done' : (stored ?? here);
        },
        async accept(accepted) {
          const devices = Map.groupBy(accepted, ({ event }) => deviceKey(event));
          await Promise.all(
            [...devices].map(([key, some]) => acceptOf(key, some as [Acceptance, ...Acceptance[]], texts)),
          );
        },
      };
    },
  };
};

/** What is recorded of an event, for commands that follow it. @throws RelayError `kv_unavailable` */
export const deliveredOf = async (
  state: Pick<KvSpace, 'get'>,
  event: Pick<EventRef, 'integration_id' | 'source' | 'event_id' | 'sos'>,
): Promise<Mark | undefined> => markIn(decode(await state.get(deviceKey(event))), fingerprint(event));

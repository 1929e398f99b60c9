import { movedHeaders, storedOf, type Bus, type BusRecord } from '@ranger-relay/bus';
import { unlessUnavailable } from '@ranger-relay/kv';
import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { type ParkingFlags, pendingUnlessMissing } from './flags.ts';

/** A record to park, with headers to add. */
export interface ParkedRecord {
  readonly record: BusRecord;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Tracks which integrations have events on the parked topic. While an integration has any, its later events must follow them to keep their
 * order. The store's flag records this; the topic is authoritative and restores lost flags.
 */
export interface Parking {
  /** Whether events of this integration must go to the parked topic. */
  parked(integrationId: string): Promise<boolean>;
  /** Whether events can be appended to the parked topic; otherwise they wait where they are. */
  possible(): boolean;
  /**
   * Appends records to the parked topic, in order, and sets the flag. Resolves to those that it did not append, because the topic refuses
   * them for their size, or an earlier one of their source.
   */
  park<T extends ParkedRecord>(integrationId: string, records: readonly T[]): Promise<readonly T[]>;
  /** Sets the flags that the store has not accepted yet. */
  raiseMissing(): Promise<void>;
}

/** Dependencies of parking. */
export interface ParkingDependencies {
  readonly bus: Pick<Bus, 'publish' | 'pending' | 'topicProblems'>;
  readonly flags: ParkingFlags;
  readonly group: string;
  readonly topic: string;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Header of parked records: the source, which determines their lane. */
const sourceHeader = 'source';

/** How long a scan of the topic stays valid, ms. */
const scanMs = 1_000;

/** Lane of a parked record: its source, so that a failing event delays only its own source. */
export const parkedLane = ({ key, headers }: Pick<BusRecord, 'key' | 'headers'>): string =>
  `${key}:${headers[sourceHeader] ?? ''}`;

const parkedCopy = (integrationId: string, { record, headers }: ParkedRecord) => ({
  key: integrationId,
  value: record.value,
  headers: { ...movedHeaders(record), ...headers, [sourceHeader]: record.key.slice(integrationId.length + 1) },
});

/** Creates the parking. */
export const createParking = ({ bus, flags, group, topic, clock }: ParkingDependencies): Parking => {
  /** Integrations that this process parked and whose flag is not in the store yet. */
  const unflagged = new Set<string>();
  let scan: { at: number; ids: Promise<Set<string>> } | undefined;

  const waitsOnTopic = async (id: string): Promise<boolean> => {
    if (!scan || clock.monotonic() - scan.at >= scanMs) {
      const ids = pendingUnlessMissing(bus, topic, group).then((found = []) => new Set(found.map(({ key }) => key)));
      scan = { at: clock.monotonic(), ids };
      ids.catch(() => (scan = undefined));
    }
    return (await scan.ids).has(id);
  };

  const raise = async (id: string): Promise<void> => {
    unflagged.add(id);
    await flags.set(id);
    unflagged.delete(id);
  };

  /** Resolves to the records from the first one on that the topic refuses for its size. */
  const append = async <T extends ParkedRecord>(id: string, ofOneSource: readonly T[]): Promise<readonly T[]> => {
    const copies = ofOneSource.map((parked) => parkedCopy(id, parked));
    try {
      await bus.publish(topic, copies);
      return [];
    } catch (error) {
      if (!isRelayError(error, 'record_too_large')) throw error;
      return ofOneSource.slice(storedOf(error));
    }
  };

  return {
    async parked(id) {
      if (unflagged.has(id)) return true;
      const flag = await unlessUnavailable(flags.refresh(id));
      if (flag) return true;
      // A flag that was set and is gone was cleared, or lost in a fail-over or eviction: only the topic can tell.
      if (flag === null && !flags.tracked.has(id)) return false;
      return waitsOnTopic(id);
    },

    possible: () => !bus.topicProblems().some((each) => each.topic === topic),
    async park(id, records) {
      const isFirst = !unflagged.has(id);
      unflagged.add(id);
      scan = undefined;
      const sources = Map.groupBy(records, ({ record: { key } }) => key);
      try {
        const refused = (await Promise.all([...sources.values()].map((some) => append(id, some)))).flat();
        if (refused.length < records.length) await unlessUnavailable(raise(id));
        else if (isFirst) unflagged.delete(id);
        return refused;
      } catch (error) {
        // Any other failure may have stored events.
        if (isFirst && isRelayError(error, 'bus_topic_unknown')) unflagged.delete(id);
        throw error;
      }
    },

    async raiseMissing() {
      for (const id of unflagged) await raise(id);
    },
  };
};

import type { Batch, BusRecord, DeadLetterDraft, Handler, OutgoingRecord } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';

const batchOf = (records: readonly BusRecord[], apart: boolean, signal: AbortSignal): Batch => ({
  topic: topics.siteEvents.name,
  partition: 0,
  lane: apart ? `apart ${records[0]?.key}` : integrationOfKey(records[0]?.key ?? ''),
  apart,
  records,
  attempt: 0,
  maybeSent: records.map(() => false),
  announce: async () => true,
  signal,
});

/** The topic of the events of sites, and what the bus does with it: batches, keys apart, and records that are delivered again. */
export const deliveringBus = (now: () => number) => {
  let undone: BusRecord[] = [];
  let offset = 0n;
  const apart = new Set<string>();
  const published: BusRecord[] = [];

  /**
   * Delivers records once, and takes the outcomes as the bus does: those behind the first retry of the lane, or of a key apart, do not count.
   * True when the lane goes on.
   */
  const once = async (
    handle: Handler,
    batch: Batch,
    onDead: (record: BusRecord, letter: DeadLetterDraft) => unknown,
  ): Promise<boolean> => {
    const outcomes = (await handle(batch).catch(() => undefined)) ?? [{ kind: 'retry', afterMs: 0 } as const];
    const held = new Set<string>();
    for (const [index, outcome] of outcomes.entries()) {
      const record = batch.records[index] as BusRecord;
      if (held.has(record.key)) continue;
      if (outcome.kind === 'retry' && !outcome.apart) return false;
      if (outcome.kind === 'retry') {
        held.add(record.key);
        apart.add(record.key);
        continue;
      }
      if (outcome.kind === 'dead') onDead(record, outcome.letter);
      undone = undone.filter((each) => each !== record);
    }
    return true;
  };

  return {
    published,
    undone: (): readonly BusRecord[] => undone,
    /** Nobody has committed anything: all records are delivered again. */
    reset: () => void (undone = [...published]),
    publish(records: readonly OutgoingRecord[]): void {
      for (const { key, value, headers = {} } of records) {
        offset += 1n;
        const at = { topic: topics.siteEvents.name, partition: 0, offset, timestamp: now() };
        const record = { ...at, key, value: Buffer.from(value), headers };
        published.push(record);
        undone.push(record);
      }
    },
    /** Delivers what is undone, until all of it is done or waits. */
    async deliver(...[handle, signal, onDead]: [Handler, AbortSignal, Parameters<typeof once>[2]]): Promise<void> {
      const pass = (records: readonly BusRecord[], isApart: boolean): Promise<boolean> =>
        once(handle, batchOf(records, isApart, signal), onDead);
      for (const key of apart) {
        const own = undone.filter((record) => record.key === key);
        if (await pass(own, true)) apart.delete(key);
      }
      for (let goesOn = true; goesOn;) {
        const lane = undone.filter(({ key }) => !apart.has(key)).slice(0, 100);
        goesOn = lane.length > 0 && (await pass(lane, false));
      }
    },
  };
};

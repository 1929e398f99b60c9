import type { Batch, BusRecord, Handler, OutgoingRecord, Outcome } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';

type Given = readonly (readonly [BusRecord, Outcome])[];

/** The topic of the events of sites, and what the bus does with it: batches, lanes apart, and records that are delivered again. */
export const deliveringBus = (now: () => number) => {
  let undone: BusRecord[] = [];
  let offset = 0n;
  const apart = new Set<string>();
  const published: BusRecord[] = [];

  const batchOf = (records: readonly BusRecord[], isApart: boolean, signal: AbortSignal): Batch => ({
    topic: topics.siteEvents.name,
    partition: 0,
    lane: isApart ? `apart ${records[0]?.key}` : integrationOfKey(records[0]?.key ?? ''),
    apart: isApart,
    records,
    attempt: 0,
    inDoubt: records.map(() => false),
    announce: async () => true,
    signal,
  });

  /** Takes the outcomes as the bus does: those behind the first retry of the lane, or of a key apart, do not count. */
  const settle = (given: Given): { readonly goesOn: boolean; readonly dead: readonly Given[number][] } => {
    const held = new Set<string>();
    const dead: Given[number][] = [];
    for (const one of given) {
      const [record, outcome] = one;
      if (held.has(record.key)) continue;
      if (outcome.kind === 'retry' && !outcome.apart) return { goesOn: false, dead };
      if (outcome.kind === 'retry') {
        held.add(record.key);
        apart.add(record.key);
        continue;
      }
      if (outcome.kind === 'dead') dead.push(one);
      undone = undone.filter((each) => each !== record);
    }
    return { goesOn: true, dead };
  };

  /** Delivers records once; true when the lane goes on behind them. */
  const once = async (handle: Handler, records: readonly BusRecord[], isApart: boolean, signal: AbortSignal) => {
    const outcomes = await handle(batchOf(records, isApart, signal)).catch(() => undefined);
    if (!outcomes) return { goesOn: false, dead: [] };
    return settle(records.map((record, index) => [record, outcomes[index] as Outcome] as const));
  };

  return {
    published,
    undone: (): readonly BusRecord[] => undone,
    /** Delivers what a topic of which nobody has committed anything holds. */
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
    /** Delivers what is undone, until all of it is done or waits. Resolves to the outcomes `dead`. */
    async deliver(handle: Handler, signal: AbortSignal): Promise<readonly Given[number][]> {
      const dead: Given[number][] = [];
      for (const key of apart) {
        const result = await once(
          handle,
          undone.filter((record) => record.key === key),
          true,
          signal,
        );
        dead.push(...result.dead);
        if (!undone.some((record) => record.key === key)) apart.delete(key);
      }
      for (let goesOn = true; goesOn;) {
        const lane = undone.filter(({ key }) => !apart.has(key)).slice(0, 100);
        if (lane.length === 0) break;
        const result = await once(handle, lane, false, signal);
        dead.push(...result.dead);
        ({ goesOn } = result);
      }
      return dead;
    },
  };
};

import { hash } from 'node:crypto';
import type { ActionState } from '@ranger-relay/actions';
import { z } from 'zod';

/**
 * The published rows that the next listing returns again, because consecutive listings overlap. A pull that publishes to `source-events`
 * leaves them out: nobody else does it for good, because the forwarder knows the last 2,048 rows of a source, for 8 days.
 */
export interface RecentArrivals {
  /** @param id of the row, or of its version */
  has(id: string): boolean;
  /** Notes a published row. @param savedAt when the site saved it, ms since 1970 */
  add(id: string, savedAt: number): void;
  /** Saves what the next listing returns, before the state that the rows belong to. @param from the next listing starts with rows saved then */
  save(from: number): Promise<void>;
}

const source = 'recent-arrivals';
/** Most rows, in 450 kB. Where a site saves more within PULL_OVERLAP, each listing publishes the older ones again, until newer rows come. */
const maxKept = 50_000;
/** Characters of a fingerprint, 6 bits each: with so many kept, two are equal once in 10^7 times. */
const printLength = 9;
const minuteMs = 60_000;

/** Fingerprints by the minute in which the site saved the rows, one behind the other. */
const schema = z.object({ attempt: z.number(), minutes: z.record(z.string(), z.string()) });

const printOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, printLength);

const printsIn = (text: string): readonly string[] => text.match(new RegExp(`.{${printLength}}`, 'g')) ?? [];

/** Reads the saved rows; those of another attempt do not count, because they must be delivered again. @throws RelayError of the store */
export const readRecentArrivals = async (
  state: Pick<ActionState, 'get' | 'set'>,
  attempt: number,
): Promise<RecentArrivals> => {
  const { data } = schema.safeParse(await state.get(source));
  const saved = Object.entries(data?.attempt === attempt ? data.minutes : {});
  /** The minute of each row. */
  let kept = new Map(
    saved.flatMap(([minute, text]) => printsIn(text).map((print) => [print, Number(minute)] as const)),
  );
  let isChanged = false;
  return {
    has: (id) => kept.has(printOf(id)),
    add(id, savedAt) {
      kept.set(printOf(id), Math.floor(savedAt / minuteMs));
      isChanged = true;
    },
    async save(from) {
      if (!isChanged) return;
      const shown = [...kept].filter(([, minute]) => (minute + 1) * minuteMs > from).toSorted(([, a], [, b]) => b - a);
      kept = new Map(shown.slice(0, maxKept));
      const byMinute = Map.groupBy(kept.keys(), (print) => String(kept.get(print)));
      const minutes = [...byMinute].map(([minute, prints]) => [minute, prints.join('')] as const);
      await state.set({ attempt, minutes: Object.fromEntries(minutes) }, { source });
      isChanged = false;
    },
  };
};

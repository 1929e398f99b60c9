import { hash } from 'node:crypto';
import type { ActionState } from '@ranger-relay/actions';
import { z } from 'zod';

/**
 * The published rows that the next listing returns again, because consecutive listings overlap. A listing that publishes to `source-events`
 * leaves them out: the forwarder forgets a source that reports nothing for 8 days, and would send its last row again.
 */
export interface RecentArrivals {
  /** @param id of the row, or of its version */
  has(id: string): boolean;
  /** Records a published row. @param savedAt when the site saved it, ms since 1970 */
  add(id: string, savedAt: number): void;
  /** Saves the rows that the next listing returns. @param from the next listing starts with rows saved at this time */
  save(from: number): Promise<void>;
}

const source = 'recent-arrivals';
/** Rows beyond this limit are published again; their event ids mark them as repeats. */
const maxKept = 2_000;

const schema = z.object({ attempt: z.number(), ids: z.record(z.string(), z.number()) });

const keyOf = (id: string): string => hash('sha256', id).slice(0, 16);

/** Reads the saved rows; those of another attempt do not count, because they must be delivered again. @throws RelayError of the store */
export const readRecentArrivals = async (
  state: Pick<ActionState, 'get' | 'set'>,
  attempt: number,
): Promise<RecentArrivals> => {
  const { data } = schema.safeParse(await state.get(source));
  const kept = new Map(data?.attempt === attempt ? Object.entries(data.ids) : []);
  let isChanged = false;
  return {
    has: (id) => kept.has(keyOf(id)),
    add(id, savedAt) {
      kept.set(keyOf(id), savedAt);
      isChanged = true;
    },
    async save(from) {
      if (!isChanged) return;
      const shown = [...kept].filter(([, savedAt]) => savedAt >= from).toSorted(([, a], [, b]) => b - a);
      await state.set({ attempt, ids: Object.fromEntries(shown.slice(0, maxKept)) }, { source });
    },
  };
};

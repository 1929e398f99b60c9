import { hash } from 'node:crypto';
import type { ActionState } from '@ranger-relay/actions';
import { z } from 'zod';
import type { Fix } from '../mapping/source-event.ts';

/** What was passed on and will be shown again, because every listing overlaps the one before. */
export interface RecentArrivals {
  has(fix: Fix): boolean;
  /** Notes what lies on the bus. @param savedAt when the site got it, ms since 1970 */
  add(fix: Fix, savedAt: number): void;
  /** Keeps those that the next listing shows. @param from it asks for what was saved then or later */
  save(from: number): Promise<void>;
}

const source = 'recent-arrivals';
/** More are passed on again; their event ids make them repeats. */
const maxKept = 2_000;

const schema = z.object({ attempt: z.number(), ids: z.record(z.string(), z.number()) });

const keyOf = ({ id }: Fix): string => hash('sha256', id).slice(0, 16);

/** Reads them; those of another attempt do not count, for they are to be delivered again. @throws RelayError of the store */
export const readRecentArrivals = async (
  state: Pick<ActionState, 'get' | 'set'>,
  attempt: number,
): Promise<RecentArrivals> => {
  const { data } = schema.safeParse(await state.get(source));
  const kept = new Map(data?.attempt === attempt ? Object.entries(data.ids) : []);
  let isChanged = false;
  return {
    has: (fix) => kept.has(keyOf(fix)),
    add(fix, savedAt) {
      kept.set(keyOf(fix), savedAt);
      isChanged = true;
    },
    async save(from) {
      if (!isChanged) return;
      const shown = [...kept].filter(([, savedAt]) => savedAt >= from).toSorted(([, a], [, b]) => b - a);
      await state.set({ attempt, ids: Object.fromEntries(shown.slice(0, maxKept)) }, { source });
    },
  };
};

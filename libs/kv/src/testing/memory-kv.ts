import type { Clock } from '@ranger-relay/runtime';
import type { KeyValue, KvSpaceName } from '../port.ts';
import { type MemoryLink, memorySpace, type MemorySpace } from './memory-space.ts';

/** A store in memory. Each of its spaces fails by itself when told to. */
export interface MemoryKv extends KeyValue {
  readonly state: MemorySpace;
  readonly config: MemorySpace;
  readonly reserved: MemorySpace;
}

/**
 * Makes a store, empty unless it is another client of the store that is given.
 * @param link default: every call is carried out at once
 */
export const memoryKv = (
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'turn'>,
  store?: { readonly [name in KvSpaceName]: Pick<MemorySpace, 'entries'> },
  link?: MemoryLink,
): MemoryKv => {
  const state = memorySpace(clock, store?.state.entries, link);
  const config = memorySpace(clock, store?.config.entries, link);
  return {
    state,
    config,
    reserved: state,
    ready: () => [state, config].every(({ away, hung, closed }) => !away && !hung && !closed),
    generation: () => 0,
    async close() {
      state.closed = true;
      config.closed = true;
    },
  };
};

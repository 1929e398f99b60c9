import { isDeepStrictEqual } from 'node:util';
import type { ActionState, StateOptions, StateValue } from '@ranger-relay/actions';

/** A value of the state that one process writes. */
export interface OwnedState {
  /** The value when it was read. */
  readonly first: StateValue;
  /** Saves the value. False, without a write, when another writer has changed it meanwhile. @throws RelayError of the state */
  save(next: StateValue): Promise<boolean>;
}

/** Reads a value to own it. @throws RelayError of the state */
export const openOwnedState = async (
  state: Pick<ActionState, 'get' | 'update'>,
  options: StateOptions = {},
): Promise<OwnedState> => {
  const first = await state.get(options.source);
  let last = first;
  return {
    first,
    async save(next) {
      let isOurs = true;
      await state.update((present) => {
        // A write whose answer was lost is recognized as done.
        isOurs = isDeepStrictEqual(present, last) || isDeepStrictEqual(present, next);
        return isOurs ? next : present;
      }, options);
      if (isOurs) last = next;
      return isOurs;
    },
  };
};

import { createHash } from 'node:crypto';
import { parseState, stateKey, type StateValue, takeLease } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock, Random } from '@ranger-relay/runtime';

/** Names a stored text shortly, so that a change can say what it was made for; `none` where nothing is stored. */
export const revisionOf = (text: string | null): string =>
  text === null ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Where a state is. */
export interface StatePlace {
  readonly integration: string;
  readonly action: string;
  readonly source: string;
}

/** A change that a person wants. */
export interface Change extends StatePlace {
  /** @throws RelayError when the present state does not allow it */
  readonly make: (present: StateValue) => StateValue;
  /** Revision that the person was shown; the present one when left out. */
  readonly shown?: string | undefined;
  /** Also while a run works on it. */
  readonly force: boolean;
  /** How long the new value lives, ms; without it the value stays. */
  readonly ttlMs?: number | undefined;
}

/** A change that was made. */
export interface Changed {
  readonly before: StateValue | null;
  readonly after: StateValue;
  readonly revision: string;
}

/** What a change is made with. */
interface ChangeOptions {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly random: Random;
}

/** Key of a state. */
export const keyOf = ({ integration, action, source }: StatePlace): string => stateKey.of(integration, action, source);

const write = async (state: KvSpace, change: Change): Promise<Changed> => {
  const key = keyOf(change);
  const text = await state.get(key);
  const changed = new RelayError('state_changed', { details: { key } });
  if (change.shown !== undefined && change.shown !== revisionOf(text)) throw changed;
  const after = change.make(parseState(key, text));
  const written = JSON.stringify(after);
  const options = change.ttlMs === undefined ? {} : { ttlMs: change.ttlMs };
  const done =
    text === null
      ? await state.setIfAbsent(key, written, options)
      : await state.compareAndSet(key, text, written, options);
  if (!done) throw changed;
  return { before: text === null ? null : parseState(key, text), after, revision: revisionOf(written) };
};

/**
 * Changes a state while no run works on it: the place of a run is held meanwhile, so that none begins, and the value is written only over
 * the one that was shown.
 * @throws RelayError `state_in_use`, `state_changed`, `state_unreadable`, `kv_unavailable`; what `make` throws
 */
export const changeState = async ({ state, clock, random }: ChangeOptions, change: Change): Promise<Changed> => {
  const { integration, action, force } = change;
  const details = { integration, action };
  const taking = await takeLease({
    space: state,
    clock,
    random,
    key: stateKey.run(integration, action),
    lost: () => new RelayError('action_lease_lost', { details }),
  });
  if (taking.kind === 'held' && !force) throw new RelayError('state_in_use', { details });
  try {
    return await write(state, change);
  } finally {
    if (taking.kind === 'taken') await taking.lease.release();
  }
};

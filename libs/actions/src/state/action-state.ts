import { isObject, isRelayError, parseExactJson, RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { type Budget, type BudgetDependencies, withBudget } from '@ranger-relay/platform';
import { stateKey } from './keys.ts';

/** Retry policy of key-value store calls inside actions (platform contract, retry budgets). */
export const storeBudget: Budget = {
  tries: 5,
  totalMs: 30_000,
  backoff: { baseMs: 1_000, maxMs: 30_000, jitterMs: 3_000 },
  worth: (error): error is RelayError => isRelayError(error, 'kv_unavailable'),
  late: (reason) => new RelayError('kv_unavailable', { details: { reason } }),
};

/**
 * Runs a store call with its retry budget; does not run it once the signal is aborted.
 * @param look aborts the signal first if it is due
 */
const withStoreRetry =
  (tools: BudgetDependencies, signal: AbortSignal, look: () => void = () => undefined) =>
  <T>(call: () => Promise<T>): Promise<T> =>
    withBudget(
      storeBudget,
      tools,
      async () => {
        look();
        signal.throwIfAborted();
        return call();
      },
      signal,
    );

/** The value stored under one source: a JSON object. */
export type StateValue = Readonly<Record<string, unknown>>;

/** Where a value is stored and for how long. */
export interface StateOptions {
  /** A source, such as the id of an event; defaults to the action as a whole. */
  readonly source?: string;
  /** Time to live; without it the value does not expire. */
  readonly ttlMs?: number;
}

/**
 * State of one action of one integration (platform contract, state and cache keys). Calls are retried for up to 30 s while the store is
 * unavailable, then reject with `kv_unavailable`. All calls reject once the run's signal is aborted, so that an abandoned run writes
 * nothing.
 */
export interface ActionState {
  /** Returns the value; an empty object when there is none. @throws RelayError `state_unreadable` */
  get(source?: string): Promise<StateValue>;
  set(value: StateValue, options?: StateOptions): Promise<void>;
  /** Returns true when it wrote. */
  setIfAbsent(value: StateValue, options?: StateOptions): Promise<boolean>;
  /** Computes a new value from the current one; `change` runs again when another writer changed the value meanwhile. */
  update(change: (present: StateValue) => StateValue, options?: StateOptions): Promise<StateValue>;
  /** Returns true when there was a value. */
  delete(source?: string): Promise<boolean>;
}

/** The dependencies of the state of a run. */
export interface StateDependencies {
  readonly space: KvSpace;
  readonly tools: BudgetDependencies;
  readonly integrationId: string;
  readonly actionId: string;
  readonly signal: AbortSignal;
  /** Aborts the signal if it is due but no timer could run yet. */
  readonly look?: () => void;
}

const rounds = 10;

const unreadable = (key: string, problem: string): RelayError =>
  new RelayError('state_unreadable', { details: { key, problem } });

/** Parses a stored value; an empty object when there is none. @throws RelayError `state_unreadable` */
export const parseState = (key: string, text: string | null): StateValue => {
  if (text === null) return {};
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw unreadable(key, 'it is not JSON');
  }
  if (isObject(value)) return value;
  throw unreadable(key, 'it is not an object');
};

const ttlOf = ({ ttlMs }: StateOptions): { ttlMs?: number } => (ttlMs === undefined ? {} : { ttlMs });

/** Creates the state that a handler uses. */
export const createActionState = ({
  space,
  tools,
  integrationId,
  actionId,
  signal,
  look,
}: StateDependencies): ActionState => {
  const call = withStoreRetry(tools, signal, look);
  const keyOf = (source?: string): string => stateKey.ofHandler(integrationId, actionId, source);

  const changeOnce = async (key: string, change: (present: StateValue) => StateValue, options: StateOptions) => {
    const text = await call(() => space.get(key));
    const value = change(parseState(key, text));
    const written = JSON.stringify(value);
    const done = await call(() =>
      text === null
        ? space.setIfAbsent(key, written, ttlOf(options))
        : space.compareAndSet(key, text, written, ttlOf(options)),
    );
    return done ? value : undefined;
  };

  const update: ActionState['update'] = async (change, options = {}) => {
    for (let round = 0; round < rounds; round += 1) {
      const value = await changeOnce(keyOf(options.source), change, options);
      if (value) return value;
    }
    throw new RelayError('kv_unavailable', { details: { reason: 'another client keeps writing the same state' } });
  };

  const get: ActionState['get'] = async (source) => {
    const key = keyOf(source);
    return parseState(key, await call(() => space.get(key)));
  };

  return {
    get,
    update,
    set: (value, options = {}) => call(() => space.set(keyOf(options.source), JSON.stringify(value), ttlOf(options))),
    setIfAbsent: (value, options = {}) =>
      call(() => space.setIfAbsent(keyOf(options.source), JSON.stringify(value), ttlOf(options))),
    delete: (source) => call(() => space.delete(keyOf(source))),
  };
};

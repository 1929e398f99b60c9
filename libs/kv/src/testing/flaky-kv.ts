import { RelayError } from '@ranger-relay/errors';
import type { KeyValue, KvSpace, KvSpaceName } from '../port.ts';

/** One call as a fault's filter sees it. */
export interface KvCall {
  readonly space: KvSpaceName;
  readonly op: keyof KvSpace;
  readonly key: string;
}

/** Which calls a fault touches; all of them when left out. */
export type KvCallFilter = (call: KvCall) => boolean;

/** A store that fails when told to. */
export interface FlakyKv extends KeyValue {
  /** Calls reject with `kv_unavailable` without reaching the store. */
  fail(which?: KvCallFilter): void;
  /** Calls reach the store, but reject with `kv_unavailable` as if the answer was lost. */
  loseAnswers(which?: KvCallFilter): void;
  /** Calls wait until `heal`, and reach the store then. */
  hang(which?: KvCallFilter): void;
  /** Ends every fault; calls that hang go on. */
  heal(): void;
  /** Removes every entry, as in a rebuilt store. */
  empty(): Promise<void>;
  /** Another server has taken over. */
  takeOver(): void;
  /** Every call so far, in order, refused ones too. */
  readonly calls: readonly KvCall[];
}

type Fault = { readonly kind: 'fail' | 'loseAnswers' | 'hang'; readonly which: KvCallFilter };

const unavailable = (): RelayError => new RelayError('kv_unavailable', { details: { reason: 'told to fail' } });

const emptySpace = async (space: KvSpace): Promise<void> => {
  const entries = await space.list('');
  await Promise.all(entries.map(({ key }) => space.delete(key)));
};

/** Wraps a store, so that tests can see what happens when it is away. Only the latest fault holds. */
export const flakyKv = (kv: KeyValue): FlakyKv => {
  const calls: KvCall[] = [];
  let fault: Fault | undefined;
  let taken = 0;
  let healed = Promise.withResolvers<void>();

  const through = async <T>(call: KvCall, act: () => Promise<T>): Promise<T> => {
    calls.push(call);
    const now = fault?.which(call) ? fault.kind : undefined;
    if (now === 'fail') throw unavailable();
    if (now === 'hang') await healed.promise;
    const result = await act();
    if (now === 'loseAnswers') throw unavailable();
    return result;
  };

  const wrap = (space: KvSpaceName): KvSpace => {
    const inner = kv[space];
    return {
      get: (key) => through({ space, op: 'get', key }, () => inner.get(key)),
      set: (key, ...rest) => through({ space, op: 'set', key }, () => inner.set(key, ...rest)),
      setIfAbsent: (key, ...rest) => through({ space, op: 'setIfAbsent', key }, () => inner.setIfAbsent(key, ...rest)),
      compareAndSet: (key, ...rest) =>
        through({ space, op: 'compareAndSet', key }, () => inner.compareAndSet(key, ...rest)),
      compareAndDelete: (key, expected) =>
        through({ space, op: 'compareAndDelete', key }, () => inner.compareAndDelete(key, expected)),
      delete: (key) => through({ space, op: 'delete', key }, () => inner.delete(key)),
      list: (key) => through({ space, op: 'list', key }, () => inner.list(key)),
    };
  };

  const begin =
    (kind: Fault['kind']) =>
    (which: KvCallFilter = () => true): void => {
      fault = { kind, which };
    };

  return {
    state: wrap('state'),
    config: wrap('config'),
    ready: () => fault === undefined && kv.ready(),
    generation: () => kv.generation() + taken,
    takeOver: () => void (taken += 1),
    close: () => kv.close(),
    fail: begin('fail'),
    loseAnswers: begin('loseAnswers'),
    hang: begin('hang'),
    heal() {
      fault = undefined;
      healed.resolve();
      healed = Promise.withResolvers<void>();
    },
    async empty() {
      await Promise.all([emptySpace(kv.state), emptySpace(kv.config)]);
    },
    calls,
  };
};

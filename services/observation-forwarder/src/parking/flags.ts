import type { Bus } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import type { Clock, Random } from '@ranger-relay/runtime';

/**
 * The flags that all forwarders share: `parked.<integration>` is up while events of it are on the parked topic. The topic is the truth: what
 * the store has lost is raised from there before it counts.
 */
export interface ParkingFlags {
  /** Token of the flag; null when it is down. @throws RelayError `kv_unavailable`, or what the bus says when the flags have to be rebuilt */
  refresh(id: string): Promise<string | null>;
  /** Raises the flag with a fresh token: one that is being lowered elsewhere is then not the one that was looked at. */
  set(id: string): Promise<void>;
  /** Integrations whose flag this process has met up: it looks after the lowering. */
  readonly tracked: Set<string>;
  /** Grows when flags are raised or met. */
  changes(): number;
}

/** What the flags work with. */
export interface FlagDependencies {
  readonly bus: Pick<Bus, 'pending'>;
  readonly state: KvSpace;
  /** Of the store: another number when it may have lost flags. */
  readonly generation: KeyValue['generation'];
  readonly group: string;
  readonly topic: string;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
}

/** Key of a flag in the state space. */
export const parkedKey = (id: string): string => `parked.${id}`;

/** Key that a store has as long as it was not emptied. */
export const epochKey = 'parking.epoch';

/** When the store began to remember, ms since 1970; without an epoch, or with one of the last release, that cannot be known. */
export const epochTime = (epoch: string | null | undefined): number => {
  const [, at] = /^(\d+)\//.exec(epoch ?? '') ?? [];
  return at === undefined ? Infinity : Number(at);
};

/**
 * Makes the flags. A store that was emptied has no epoch, one that failed over may have lost some flags, and a new process trusts nobody: all of
 * them look at the topic first. After a fail-over the store remembers from now on only.
 */
export const createParkingFlags = (deps: FlagDependencies): ParkingFlags => {
  const { bus, state, generation, group, topic, random, clock } = deps;
  const tracked = new Set<string>();
  let changes = 0;
  /** Generation of the store that the flags were rebuilt in. */
  let rebuiltIn: number | undefined;
  let rebuilding: Promise<void> | undefined;

  const track = (id: string): void => {
    if (tracked.has(id)) return;
    tracked.add(id);
    changes += 1;
  };

  const writeEpoch = (before: string | null): Promise<boolean> => {
    const epoch = `${clock.now()}/${random.uuid()}`;
    return before === null ? state.setIfAbsent(epochKey, epoch) : state.compareAndSet(epochKey, before, epoch);
  };

  const rebuild = async (epoch: string | null): Promise<void> => {
    const now = generation();
    const isNew = epochTime(epoch) === Infinity || (rebuiltIn !== undefined && rebuiltIn !== now);
    const waiting = await bus.pending(topic, group);
    for (const { key } of waiting) track(key);
    // All in one turn, so that an emptying cannot leave an epoch without its flags.
    await Promise.all([
      ...waiting.map(({ key }) => state.setIfAbsent(parkedKey(key), random.uuid())),
      ...(isNew ? [writeEpoch(epoch)] : []),
    ]);
    rebuiltIn = now;
  };

  const rebuildOnce = (epoch: string | null): Promise<void> => {
    rebuilding ??= rebuild(epoch).finally(() => (rebuilding = undefined));
    return rebuilding;
  };

  return {
    tracked,
    changes: () => changes,

    async refresh(id) {
      for (let tries = 0; tries < 3; tries += 1) {
        // The epoch is read last: flags that an emptying took in between then do not count as down.
        const [flag = null, epoch = null] = await Promise.all([state.get(parkedKey(id)), state.get(epochKey)]);
        if (rebuiltIn === generation() && epoch !== null) {
          if (flag !== null) track(id);
          return flag;
        }
        await rebuildOnce(epoch);
      }
      throw new RelayError('kv_unavailable', { details: { reason: 'it is emptied again and again' } });
    },

    async set(id) {
      track(id);
      changes += 1;
      await state.set(parkedKey(id), random.uuid());
    },
  };
};

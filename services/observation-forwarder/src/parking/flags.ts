import type { Bus, PendingKey } from '@ranger-relay/bus';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { epochKey, epochOf, epochTime, isEpochSeen, type KeyValue, type KvSpace } from '@ranger-relay/kv';
import { type Clock, type Random, shareFlight } from '@ranger-relay/runtime';

/**
 * The flags that all forwarders share: `parked.<integration>` is set while the parked topic holds events of the integration. The topic is
 * authoritative: flags that the store lost are restored from it before they count.
 */
export interface ParkingFlags {
  /** Token of the flag; null when it is not set. @throws RelayError `kv_unavailable`, or the bus's error when the flags must be rebuilt */
  refresh(id: string): Promise<string | null>;
  /** Sets the flag with a fresh token, so that a concurrent clear of the previous token fails. */
  set(id: string): Promise<void>;
  /** Tracks an integration whose events were seen on the topic. */
  track(id: string): void;
  /** Integrations whose flag or parked events this process has seen, and whose flag it clears when nothing is parked any more. */
  readonly tracked: Set<string>;
  /** Counter that grows when flags are set or first seen. */
  changes(): number;
}

/** Dependencies of the flags. */
export interface FlagDependencies {
  readonly bus: Pick<Bus, 'pending' | 'topicProblems'>;
  readonly state: KvSpace;
  /** Generation of the store; it changes when the store may have lost flags. */
  readonly generation: KeyValue['generation'];
  readonly group: string;
  readonly topic: string;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
}

/** What the group has left on the topic; undefined when the topic does not exist. One broker that does not know it is not believed. */
export const pendingUnlessMissing = (
  bus: Pick<Bus, 'pending' | 'topicProblems'>,
  topic: string,
  group: string,
): Promise<readonly PendingKey[] | undefined> =>
  bus.pending(topic, group).catch((error: unknown) => {
    const isMissing =
      isRelayError(error, 'bus_topic_unknown') && bus.topicProblems().some((each) => each.topic === topic);
    if (isMissing) return undefined;
    throw error;
  });

/** Key of a flag in the state space. */
export const parkedKey = (id: string): string => `parked.${id}`;

/**
 * Creates the flags. A store that was emptied has no epoch, or one that nobody has seen; one that failed over may have lost some flags, and a new process cannot tell:
 * in each case the flags are first rebuilt from the topic. After a fail-over the store's memory begins anew.
 */
export const createParkingFlags = (deps: FlagDependencies): ParkingFlags => {
  const { bus, state, generation, group, topic, random, clock } = deps;
  const tracked = new Set<string>();
  let changes = 0;
  /** Store generation in which the flags were last rebuilt. */
  let rebuiltIn: number | undefined;

  const track = (id: string): void => {
    if (tracked.has(id)) return;
    tracked.add(id);
    changes += 1;
  };

  const writeEpoch = (before: string | null, since: number): Promise<boolean> => {
    const epoch = epochOf(since, random.uuid());
    return before === null ? state.setIfAbsent(epochKey, epoch) : state.compareAndSet(epochKey, before, epoch);
  };

  /** False while the topic does not exist: it holds nothing, and counts once it exists. */
  const rebuild = shareFlight(async (epoch: string | null): Promise<boolean> => {
    const now = generation();
    const isNew = epochTime(epoch) === Infinity || (rebuiltIn !== undefined && rebuiltIn !== now);
    const waiting = await pendingUnlessMissing(bus, topic, group);
    if (!waiting) return false;
    for (const { key } of waiting) track(key);
    // All in one turn, so that the store cannot be emptied between the flags and the epoch.
    await Promise.all([
      ...waiting.map(({ key }) => state.setIfAbsent(parkedKey(key), random.uuid())),
      ...(isNew || !isEpochSeen(epoch ?? '') ? [writeEpoch(epoch, isNew ? clock.now() : epochTime(epoch))] : []),
    ]);
    rebuiltIn = now;
    return true;
  });

  return {
    track,
    tracked,
    changes: () => changes,

    async refresh(id) {
      for (let tries = 0; tries < 3; tries += 1) {
        // The epoch is read last: if the store is emptied between the two reads, the missing flag does not count as cleared.
        const [flag = null, epoch = null] = await Promise.all([state.get(parkedKey(id)), state.get(epochKey)]);
        if (rebuiltIn === generation() && epoch !== null && isEpochSeen(epoch)) {
          if (flag !== null) track(id);
          return flag;
        }
        if (!(await rebuild(epoch))) return flag;
      }
      throw new RelayError('kv_unavailable', { details: { reason: 'it is emptied repeatedly' } });
    },

    async set(id) {
      track(id);
      changes += 1;
      await state.set(parkedKey(id), random.uuid());
    },
  };
};

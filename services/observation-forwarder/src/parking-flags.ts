import type { Bus } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Random } from '@ranger-relay/runtime';
import { surveyRotations } from './rotation-survey.ts';

/** The flags of one integration as the store has them; null when a flag is down. */
export interface FlagPair {
  /** Token of `parked.<integration>`: events of it are on the parked topic. */
  readonly parked: string | null;
  /** Token of `parking.rotating.<integration>`: its parked events are being moved to the end, nothing may be appended between. */
  readonly rotating: string | null;
}

/** The flags that all forwarders share. The topic is the truth: what the store has lost is raised from there before it counts. */
export interface ParkingFlags {
  /** @throws RelayError `kv_unavailable`, or what the bus says when the flags have to be rebuilt */
  look(id: string): Promise<FlagPair>;
  /** Raises the parked flag with a fresh token: one that is being lowered elsewhere is then not the one that was looked at. */
  raiseParked(id: string): Promise<void>;
  /** Raises the rotating flag; returns the token that stands, which is another's when one was up. */
  raiseRotating(id: string, token: string): Promise<string>;
  /** Lowers the rotating flag if it still has this token. */
  lowerRotating(id: string, token: string): Promise<boolean>;
  /** Flags of these integrations were met by this process: it looks after their lowering. */
  readonly met: Set<string>;
  /** Grows when flags are raised or met. */
  changes(): number;
}

/** What the flags work with. */
export interface FlagParts {
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly group: string;
  readonly topic: string;
  readonly random: Random;
}

/** Keys in the state space. Both flags and the epoch begin alike, so that one listing finds them. */
export const parkedPrefix = 'parked.';
export const rotatingPrefix = 'parking.rotating.';
export const commonPrefix = 'park';
const epochKey = 'parking.epoch';

/** Makes the flags. A store that was emptied has no epoch, and a new process trusts nobody: both look at the topic first. */
export const createParkingFlags = ({ bus, state, group, topic, random }: FlagParts): ParkingFlags => {
  const met = new Set<string>();
  let changes = 0;
  let rebuilt = false;
  let rebuilding: Promise<void> | undefined;

  const meet = (id: string): void => {
    if (met.has(id)) return;
    met.add(id);
    changes += 1;
  };

  /** The epoch is read last: flags that an emptying took in between then do not count as down. */
  const read = async (id: string) => {
    const [parked, rotating, epoch] = await Promise.all(
      [parkedPrefix + id, rotatingPrefix + id, epochKey].map((key) => state.get(key)),
    );
    return { parked: parked ?? null, rotating: rotating ?? null, epoch: epoch ?? null };
  };

  const unfinishedRotations = async (): Promise<[id: string, token: string][]> => {
    const found = await surveyRotations(bus, { topic, from: `committed:${group}` });
    return [...found].filter(([, { unfinished }]) => unfinished).map(([id, { token }]) => [id, token]);
  };

  const rebuild = async (emptied: boolean): Promise<void> => {
    const waiting = await bus.pending(topic, group);
    const rotations = emptied ? await unfinishedRotations() : [];
    for (const { key } of waiting) meet(key);
    // All in one turn, so that an emptying cannot leave an epoch without its flags.
    await Promise.all([
      ...waiting.map(({ key }) => state.setIfAbsent(parkedPrefix + key, random.uuid())),
      ...rotations.map(([id, token]) => state.setIfAbsent(rotatingPrefix + id, token)),
      ...(emptied ? [state.setIfAbsent(epochKey, random.uuid())] : []),
    ]);
    rebuilt = true;
  };

  const rebuildOnce = (emptied: boolean): Promise<void> => {
    rebuilding ??= rebuild(emptied).finally(() => (rebuilding = undefined));
    return rebuilding;
  };

  return {
    met,
    changes: () => changes,

    async look(id) {
      for (let tries = 0; tries < 3; tries += 1) {
        const { epoch, ...flags } = await read(id);
        if (rebuilt && epoch !== null) {
          if (flags.parked !== null || flags.rotating !== null) meet(id);
          return flags;
        }
        await rebuildOnce(epoch === null);
      }
      throw new RelayError('kv_unavailable', { details: { reason: 'it is emptied again and again' } });
    },

    async raiseParked(id) {
      meet(id);
      changes += 1;
      await state.set(parkedPrefix + id, random.uuid());
    },

    async raiseRotating(id, token) {
      meet(id);
      if (await state.setIfAbsent(rotatingPrefix + id, token)) return token;
      return (await state.get(rotatingPrefix + id)) ?? token;
    },

    lowerRotating: (id, token) => state.compareAndDelete(rotatingPrefix + id, token),
  };
};

import type { Bus, PendingKey } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { commonPrefix, parkedPrefix, rotatingPrefix, type ParkingFlags } from './parking-flags.ts';
import type { Parking } from './parking.ts';

/** Looks after the flags of parked integrations: none stays up when nothing is parked, none is lowered while something is. */
export interface ParkingCare {
  /** To be called every second; asks store and bus only when it is time to. */
  settle(): Promise<void>;
}

/** What the care works with. */
export interface CareParts {
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly flags: ParkingFlags;
  readonly parking: Pick<Parking, 'raiseMissing'>;
  readonly group: string;
  readonly topic: string;
  readonly clock: Clock;
}

/** Between two looks at the topic: doubling while nothing changes, ms. */
const soonestMs = 1_000;
const latestMs = 10_000;
/** Between two lists of all flags: somebody must find those whose process died. The shorter one after a failure, ms. */
const listEveryMs = 60_000;
const listAgainMs = 10_000;

const namesOf = (keys: readonly { key: string }[]): string[] =>
  keys.flatMap(({ key }) =>
    [parkedPrefix, rotatingPrefix].flatMap((prefix) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
  );

/** What can be seen to move between two looks. */
const stateOf = (pending: readonly PendingKey[]): string =>
  JSON.stringify(pending.map(({ key, count, oldest, newest }) => [key, count, oldest, newest]));

/** Makes the care of one process for the flags it has met. */
export const createParkingCare = (parts: CareParts): ParkingCare => {
  const { bus, state, flags, parking, group, topic, clock } = parts;
  let listAt = -Infinity;
  let lookAt = -Infinity;
  let everyMs = soonestMs;
  let changes = 0;
  let seen = '';

  const listAll = async (): Promise<void> => {
    listAt = clock.monotonic() + listAgainMs;
    const names = namesOf(await state.list(commonPrefix));
    for (const id of names) flags.met.add(id);
    listAt = clock.monotonic() + listEveryMs;
  };

  /**
   * Nothing of the integration was seen parked: lowers its flags; true when both are down. The parked flag is first, for its token alone
   * tells of an append during the look.
   */
  const lower = async (id: string, parked: string | null, rotating: string | null): Promise<boolean> => {
    const key = parkedPrefix + id;
    const down = parked === null ? (await state.get(key)) === null : await state.compareAndDelete(key, parked);
    return down && (rotating === null || flags.lowerRotating(id, rotating));
  };

  /** Tokens are read before the topic: what is appended after the look has a flag with another token. */
  const look = async (): Promise<string> => {
    const known = flags.changes();
    const tokens = await Promise.all(
      [...flags.met].map(async (id) => {
        const [parked, rotating] = await Promise.all([state.get(parkedPrefix + id), state.get(rotatingPrefix + id)]);
        return { id, parked: parked ?? null, rotating: rotating ?? null };
      }),
    );
    const pending = await bus.pending(topic, group);
    const left = new Set(pending.map(({ key }) => key));
    for (const { id, parked, rotating } of tokens) {
      if (left.has(id)) {
        if (parked === null) await flags.raiseParked(id);
        // A flag that was raised during the look stays among those that are looked after.
      } else if ((await lower(id, parked, rotating)) && flags.changes() === known) flags.met.delete(id);
    }
    return stateOf(pending.filter(({ key }) => flags.met.has(key)));
  };

  const lookInTime = async (): Promise<void> => {
    if (flags.changes() !== changes) lookAt = Math.min(lookAt, clock.monotonic() + soonestMs);
    if (clock.monotonic() < lookAt) return;
    const met = flags.met.size;
    const known = flags.changes();
    lookAt = clock.monotonic() + everyMs;
    const now = await look();
    const moved = known !== changes || now !== seen || flags.met.size !== met;
    everyMs = moved ? soonestMs : Math.min(everyMs * 2, latestMs);
    lookAt = clock.monotonic() + everyMs;
    changes = known;
    seen = now;
  };

  return {
    async settle() {
      await parking.raiseMissing();
      if (clock.monotonic() >= listAt) await listAll();
      if (flags.met.size > 0) await lookInTime();
    },
  };
};

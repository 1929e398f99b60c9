import { RelayError } from '@ranger-relay/errors';
import type { Group, Member, Assigned } from '@ranger-relay/bus/testing';
import { repeat, within } from '@ranger-relay/runtime';
import type { SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';

/** A member whose heartbeats stop for this long loses its partitions, ms. */
const sessionMs = 30_000;
/** A member that does not release a revoked partition for this long is expelled, ms. */
const rebalanceMs = 30_000;
const heartbeatMs = 3_000;
/** Maximum wait of a new member for its partitions, and between two looks, ms. */
const [maxJoinMs, joinPauseMs] = [10_000, 100];
/** Maximum wait for the handlers of a partition that moves, ms. */
const handOverMs = 10_000;

/** Time limit of a call to the brokers, ms. */
const callMs = 10_000;

type Call = SimulatedProcess['call'];

/** Calls of a process to the brokers, which end at a deadline as those of a real client. */
export const brokerCalls =
  ({ clock, call }: SimulatedProcess): Call =>
  (channel, what, act) =>
    within({ clock, ms: callMs }, call(channel, what, act), () => {
      throw new RelayError('bus_unavailable', {
        details: { reason: `no response within ${callMs} ms` },
        ambiguous: true,
      });
    });

interface Slot {
  /** Member that works on the partition, and the one that it is assigned to. */
  owner: string | null;
  target: string | null;
  /** Since when the owner is to release it, ms. */
  movingSince: number;
}

/** The partitions that a member works on, and those that it must stop. */
interface Assignment {
  readonly granted: readonly number[];
  readonly revoked: readonly number[];
  /** Number of partitions that it is to have. */
  readonly due: number;
}

/** The broker's side of one consumer group. */
export interface Coordinator {
  join(member: string): void;
  leave(member: string): void;
  /** Renews the session; null when the member is unknown, because its session has ended. */
  heartbeat(member: string): Assignment | null;
  release(member: string, partition: number): void;
  /** Name of the process that owns the partition. */
  owner(partition: number): string | null;
  /** Moves every partition to another member, where there is one. */
  shuffle(): void;
  /** Expels every member: it joins again, and starts its partitions anew. */
  expelAll(): void;
}

const processOf = (member: string | null): string | null => member?.split('/')[0] ?? null;

export const createCoordinator = ({ clock, note }: Pick<Simulation, 'clock' | 'note'>, count: number): Coordinator => {
  const seen = new Map<string, number>();
  const slots: Slot[] = Array.from({ length: count }, () => ({ owner: null, target: null, movingSince: 0 }));
  let turns = 0;

  const share = (): void => {
    const members = [...seen.keys()];
    slots.forEach((slot, index) => {
      const target = members[Math.floor(((index + turns) % count) * (members.length / count))] ?? null;
      if (slot.target !== target) slot.movingSince = clock.monotonic();
      slot.target = target;
      if (slot.owner === null) slot.owner = target;
    });
  };
  const expel = (member: string): void => {
    if (!seen.delete(member)) return;
    for (const slot of slots) if (slot.owner === member) slot.owner = null;
    share();
  };
  const expire = (): void => {
    const now = clock.monotonic();
    for (const [member, at] of seen)
      if (now - at > sessionMs) {
        note(`session of ${member} ended`);
        expel(member);
      }
    for (const { owner, target, movingSince } of slots)
      if (owner !== null && owner !== target && now - movingSince > rebalanceMs) expel(owner);
  };

  return {
    join(member) {
      seen.set(member, clock.monotonic());
      share();
    },
    leave: expel,
    heartbeat(member) {
      expire();
      if (!seen.has(member)) return null;
      seen.set(member, clock.monotonic());
      const own = [...slots.entries()].filter(([, { owner }]) => owner === member);
      return {
        granted: own.flatMap(([partition, { target }]) => (target === member ? [partition] : [])),
        revoked: own.flatMap(([partition, { target }]) => (target === member ? [] : [partition])),
        due: slots.filter(({ target }) => target === member).length,
      };
    },
    release(member, partition) {
      const slot = slots[partition];
      if (slot?.owner === member) slot.owner = slot.target;
    },
    owner: (partition) => processOf(slots[partition]?.owner ?? null),
    expelAll() {
      for (const member of seen.keys()) expel(member);
    },
    shuffle() {
      turns += 1;
      share();
    },
  };
};

/** The process's side of one consumer group: heartbeats, and partitions that start and stop as they say. */
export const createMembership = (process: SimulatedProcess, coordinator: Coordinator): Group<Assigned> => {
  const { clock } = process;
  const call = brokerCalls(process);
  const running = new Map<Member<Assigned>, Map<number, Assigned>>();
  const ends = new Map<Member<Assigned>, (deadlineMs: number) => Promise<void>>();
  let joins = 0;

  const join = async (member: Member<Assigned>): Promise<void> => {
    const partitions = new Map<number, Assigned>();
    running.set(member, partitions);
    let id = '';
    let beatAt = clock.monotonic();
    let closed = false;
    let moving = false;
    let due = Infinity;
    const stopAll = async (deadlineMs: number): Promise<void> => {
      const works = [...partitions.values()];
      partitions.clear();
      await Promise.all(works.map((work) => work.stop(deadlineMs)));
    };
    const enter = async (): Promise<void> => {
      const fresh = `${process.name}/${(joins += 1)}`;
      await call('group', 'join', () => coordinator.join(fresh));
      id = fresh;
      beatAt = clock.monotonic();
    };
    const follow = async ({ granted, revoked }: Assignment): Promise<void> => {
      const current = id;
      for (const partition of revoked) {
        const work = partitions.get(partition);
        partitions.delete(partition);
        await work?.stop(handOverMs);
        // On the channel of the commits, so that those of the partition arrive first.
        await call('bus', `release ${partition}`, () => coordinator.release(current, partition)).catch(() => undefined);
      }
      for (const partition of granted)
        if (!partitions.has(partition) && !closed && id === current) {
          const work = await member.start(partition);
          if (id === current && !closed) partitions.set(partition, work);
          else await work.stop(0);
        }
    };
    const beat = async (): Promise<void> => {
      const sentAt = clock.monotonic();
      const assignment = await call('group', 'heartbeat', () => coordinator.heartbeat(id));
      if (closed) return;
      if (assignment === null) {
        await stopAll(0);
        return enter();
      }
      beatAt = Math.max(beatAt, sentAt);
      due = assignment.due;
      if (moving) return;
      moving = true;
      void follow(assignment)
        .catch(() => undefined)
        .finally(() => (moving = false));
    };
    await enter();
    for (const end = clock.monotonic() + maxJoinMs; clock.monotonic() < end && partitions.size < due;) {
      await beat().catch(() => undefined);
      if (partitions.size < due) await clock.sleep(joinPauseMs);
    }
    const stopBeating = repeat({ clock, everyMs: heartbeatMs }, () => void beat().catch(() => undefined));
    // A member that cannot reach the coordinator must stop before another one gets its partitions.
    const stopWatching = repeat({ clock, everyMs: heartbeatMs }, async () => {
      if (clock.monotonic() - beatAt > sessionMs) await stopAll(0);
    });
    ends.set(member, async (deadlineMs) => {
      closed = true;
      void stopBeating();
      void stopWatching();
      await stopAll(deadlineMs);
      running.delete(member);
      await call('bus', 'leave', () => coordinator.leave(id)).catch(() => undefined);
    });
  };

  return {
    join,
    leave: async (member, deadlineMs) => ends.get(member)?.(deadlineMs),
    running: (member) => [...(running.get(member) ?? [])],
    settled: (member) => running.has(member),
    empty: () => running.size === 0,
  };
};

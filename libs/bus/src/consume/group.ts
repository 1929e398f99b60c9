/** A running partition, as the group uses it. */
export interface Stoppable {
  stop(deadlineMs: number): Promise<void>;
}

/** A member of a group. The group starts a partition only when no other member runs it. */
export interface Member<P extends Stoppable> {
  start(partition: number): Promise<P>;
}

/** The members of one group in this process. Each has a range of the partitions of one topic. */
export interface Group<P extends Stoppable> {
  /** Rebalances; resolves when the partitions that had no owner have started. */
  join(member: Member<P>): Promise<void>;
  /** Rebalances; resolves when the member's partitions have stopped. */
  leave(member: Member<P>, deadlineMs: number): Promise<void>;
  /** The running partitions of the member. */
  running(member: Member<P>): readonly (readonly [partition: number, work: P])[];
  /** Whether all partitions of the member run. */
  settled(member: Member<P>): boolean;
  empty(): boolean;
}

interface Slot<P extends Stoppable> {
  readonly partition: number;
  wanted: Member<P> | null;
  current: { readonly member: Member<P>; readonly work: P } | null;
  moving: Promise<void> | null;
}

/** Index of the member that owns `partition`, of `members` members and `partitions` partitions. */
export const ownerOf = (partition: number, partitions: number, members: number): number =>
  Math.min(members - 1, Math.floor((partition * members) / partitions));

const rests = <P extends Stoppable>({ current, wanted }: Slot<P>): boolean => (current?.member ?? null) === wanted;

/**
 * Creates an empty group.
 * @param handoverMs maximum wait for the handlers of a partition that moves
 * @param onError called when a partition does not start or stop
 */
export const createGroup = <P extends Stoppable>(
  partitions: number,
  handoverMs: number,
  onError: (error: unknown, partition: number) => Promise<void>,
): Group<P> => {
  const members: Member<P>[] = [];
  const slots: Slot<P>[] = Array.from({ length: partitions }, (_, partition) => ({
    partition,
    wanted: null,
    current: null,
    moving: null,
  }));
  const deadlines = new Map<Member<P>, number>();

  const step = async (slot: Slot<P>): Promise<void> => {
    const { current, wanted } = slot;
    if (current) {
      await current.work.stop(deadlines.get(current.member) ?? handoverMs);
      slot.current = null;
    } else if (wanted) {
      const work = await wanted.start(slot.partition);
      slot.current = { member: wanted, work };
    }
  };

  const move = async (slot: Slot<P>): Promise<void> => {
    while (!rests(slot)) {
      try {
        await step(slot);
      } catch (error) {
        await onError(error, slot.partition);
      }
    }
    slot.moving = null;
  };

  const reconcile = (slot: Slot<P>): Promise<void> => {
    if (!slot.moving && !rests(slot)) slot.moving = move(slot);
    return slot.moving ?? Promise.resolve();
  };

  const share = (): void => {
    for (const slot of slots) {
      const owner = members.length === 0 ? null : members[ownerOf(slot.partition, partitions, members.length)];
      slot.wanted = owner ?? null;
    }
  };

  const of = (member: Member<P>): Slot<P>[] => slots.filter(({ current }) => current?.member === member);

  return {
    async join(member) {
      members.push(member);
      share();
      const free = slots.filter((slot) => slot.wanted === member && slot.current === null && slot.moving === null);
      for (const slot of slots) void reconcile(slot);
      await Promise.all(free.map((slot) => slot.moving));
    },
    async leave(member, deadlineMs) {
      const index = members.indexOf(member);
      if (index === -1) return;
      deadlines.set(member, deadlineMs);
      members.splice(index, 1);
      const held = slots.filter((slot) => slot.wanted === member || slot.current?.member === member);
      share();
      const moves = held.map((slot) => reconcile(slot));
      for (const slot of slots) void reconcile(slot);
      await Promise.all(moves);
      deadlines.delete(member);
    },
    running: (member) =>
      of(member).flatMap(({ partition, current }) => (current ? [[partition, current.work] as const] : [])),
    settled: (member) =>
      slots.every(({ wanted, current, moving }) => wanted !== member || (current?.member === member && !moving)),
    empty: () => members.length === 0,
  };
};

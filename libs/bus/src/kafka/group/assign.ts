/** Partitions by topic. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

/** A member of a group as the leader sees it. */
export interface GroupMember {
  readonly id: string;
  readonly topics: readonly string[];
  /** What it works on now and will not let go before it is told to. */
  readonly owned: Assignment;
  /** The generation in which it got these; of two that claim one partition the later is right. */
  readonly generation: number;
}

interface Taker {
  readonly id: string;
  readonly share: number[];
}

/** Who works on each partition now: of several claims the one of the latest generation. */
const ownersOf = (takers: readonly GroupMember[], topic: string, count: number): Map<number, GroupMember> => {
  const owners = new Map<number, GroupMember>();
  for (const taker of takers)
    for (const partition of taker.owned.get(topic) ?? []) {
      const other = owners.get(partition);
      if (partition < count && (!other || other.generation < taker.generation)) owners.set(partition, taker);
    }
  return owners;
};

const ownedBy = (owners: ReadonlyMap<number, GroupMember>, id: string): number[] =>
  [...owners].flatMap(([partition, owner]) => (owner.id === id ? [partition] : [])).toSorted((a, b) => a - b);

/** Everyone keeps what it has up to its quota; what nobody has goes to those below theirs. */
const shareTopic = (members: readonly GroupMember[], topic: string, count: number): Taker[] => {
  const takers = members.filter(({ topics }) => topics.includes(topic)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const owners = ownersOf(takers, topic, count);
  const least = Math.floor(count / takers.length);
  const extra = count % takers.length;
  const byHoldings = takers
    .map(({ id }) => ({ id, owned: ownedBy(owners, id) }))
    .toSorted((a, b) => b.owned.length - a.owned.length);
  const shares = byHoldings.map(({ id, owned }, index) => {
    const quota = index < extra ? least + 1 : least;
    return { id, share: owned.slice(0, quota), quota };
  });
  for (let partition = 0; partition < count; partition += 1)
    if (!owners.has(partition)) shares.find(({ share, quota }) => share.length < quota)?.share.push(partition);
  return shares;
};

/**
 * Shares the partitions of each topic evenly among the members that consume it, moving as few as possible. A partition that moves is given
 * to nobody yet: its owner sees that it is no longer its own, finishes, and joins again; then it is free. So nobody else has to stop.
 */
export const assign = (
  members: readonly GroupMember[],
  partitionsOf: (topic: string) => number,
): ReadonlyMap<string, Assignment> => {
  const all = new Map(members.map(({ id }) => [id, new Map<string, readonly number[]>()]));
  for (const topic of new Set(members.flatMap(({ topics }) => topics)))
    for (const { id, share } of shareTopic(members, topic, partitionsOf(topic)))
      if (share.length > 0) all.get(id)?.set(topic, share);
  return all;
};

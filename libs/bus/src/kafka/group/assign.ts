/** Partitions by topic. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

/** A member of a group, as the group leader knows it. */
export interface GroupMember {
  readonly id: string;
  readonly topics: readonly string[];
  /** Partitions that the member runs now, and keeps until they are revoked. */
  readonly owned: Assignment;
  /** Generation in which the member was assigned `owned`; of two members that claim a partition, the later generation is right. */
  readonly generation: number;
}

interface Taker {
  readonly id: string;
  readonly share: number[];
}

/** Current owner of each partition; of several claims, the one of the latest generation. */
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

/** Each member keeps its partitions up to its quota; members below their quota get the partitions without an owner. */
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
 * Assigns the partitions of each topic evenly to the members that consume it, moving as few as possible. A moving partition is assigned to no
 * member at first: its owner sees that it lost the partition, stops it and rejoins, which frees the partition. The other members continue.
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

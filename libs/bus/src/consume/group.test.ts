import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createGroup, ownerOf, type Group, type Member } from './group.ts';

interface Work {
  stop(deadlineMs: number): Promise<void>;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const ignore = () => Promise.resolve();

/** Members whose partitions report a partition that two of them work on at once. */
const harness = (partitions: number) => {
  const busy = new Map<number, string>();
  const clashes: string[] = [];
  const stops: number[] = [];
  const group: Group<Work> = createGroup(partitions, 10_000, ignore);
  const member = (name: string): Member<Work> => ({
    async start(partition) {
      await turn();
      if (busy.has(partition)) clashes.push(`${partition}: ${busy.get(partition)} and ${name}`);
      busy.set(partition, name);
      return {
        async stop(deadlineMs) {
          stops.push(deadlineMs);
          await turn();
          busy.delete(partition);
        },
      };
    },
  });
  const of = (m: Member<Work>) => group.running(m).map(([partition]) => partition);
  return { group, member, busy, clashes, stops, of };
};

const settle = async (group: Group<Work>, members: readonly Member<Work>[]): Promise<void> => {
  for (let i = 0; i < 200 && !members.every((m) => group.settled(m)); i += 1) await turn();
};

test('one member has every partition as soon as it has joined', async (t) => {
  const { group, member, of } = harness(4);
  const one = member('one');
  await group.join(one);
  t.deepEqual(of(one), [0, 1, 2, 3]);
  t.true(group.settled(one));
});

test('two members share in ranges; a third moves no more than it must', async (t) => {
  const { group, member, of } = harness(6);
  const members = ['one', 'two', 'three'].map(member);
  for (const m of members) await group.join(m);
  await settle(group, members);
  t.deepEqual(members.map(of), [
    [0, 1],
    [2, 3],
    [4, 5],
  ]);
});

test('more members than partitions leaves some without work, and they are settled', async (t) => {
  const { group, member, of } = harness(1);
  const members = ['one', 'two'].map(member);
  for (const m of members) await group.join(m);
  await settle(group, members);
  t.deepEqual(members.flatMap(of), [0]);
  t.true(members.every((m) => group.settled(m)));
});

test('a member that leaves has stopped its partitions, with its own deadline, and the others have them', async (t) => {
  const { group, member, of, stops } = harness(4);
  const [one, two] = [member('one'), member('two')];
  await group.join(one);
  await group.join(two);
  await settle(group, [one, two]);
  stops.length = 0;
  await group.leave(one, 77);
  t.deepEqual(of(one), []);
  t.deepEqual(of(two), [0, 1, 2, 3]);
  t.deepEqual(stops, [77, 77]);
});

test('a member that leaves twice, or never joined, is no trouble', async (t) => {
  const { group, member } = harness(2);
  const one = member('one');
  await group.leave(one, 1);
  await group.join(one);
  await group.leave(one, 1);
  await group.leave(one, 1);
  t.true(group.empty());
});

test('a start that fails is tried again', async (t) => {
  let failures = 2;
  const seen: number[] = [];
  const group = createGroup<Work>(1, 1_000, (_, partition) => {
    seen.push(partition);
    return Promise.resolve();
  });
  const one: Member<Work> = {
    start: () => (failures-- > 0 ? Promise.reject(new Error('not yet')) : Promise.resolve({ stop: ignore })),
  };
  await group.join(one);
  t.deepEqual(seen, [0, 0]);
  t.true(group.settled(one));
});

test('every partition has exactly one owner, and ranges differ by one at most', (t) => {
  for (let members = 1; members <= 14; members += 1) {
    const owners = Array.from({ length: 12 }, (_, p) => ownerOf(p, 12, members));
    t.deepEqual(
      owners,
      [...owners].sort((a, b) => a - b),
    );
    const sizes = Array.from({ length: members }, (_, m) => owners.filter((owner) => owner === m).length);
    t.true(Math.max(...sizes) - Math.min(...sizes) <= 1);
  }
});

testProp(
  'whoever joins and leaves in whatever order, no partition has two members at once, and in the end each has one',
  [fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.boolean(), fc.boolean()), { maxLength: 25, size: 'max' })],
  async (t, moves) => {
    const { group, member, busy, clashes, of } = harness(5);
    const members = Array.from({ length: 5 }, (_, i) => member(String(i)));
    const joined = new Set<Member<Work>>();
    const working: Promise<void>[] = [];
    for (const [index, joins, waits] of moves) {
      const m = members[index] as Member<Work>;
      if (joins && !joined.has(m)) {
        joined.add(m);
        working.push(group.join(m));
      } else if (!joins && joined.delete(m)) working.push(group.leave(m, 5));
      if (waits) await turn();
    }
    await Promise.all(working);
    await settle(group, [...joined]);
    t.deepEqual(clashes, []);
    t.deepEqual([...joined].flatMap(of).sort(), joined.size === 0 ? [] : [0, 1, 2, 3, 4]);
    t.is(busy.size, joined.size === 0 ? 0 : 5);
  },
  { numRuns: 100 },
);

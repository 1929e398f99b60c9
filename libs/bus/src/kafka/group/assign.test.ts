import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { assign, type Assignment, type GroupMember } from './assign.ts';

const topics = { a: 7, b: 3 } as const;
type Topic = keyof typeof topics;
const names = Object.keys(topics) as Topic[];
const countOf = (topic: string): number => topics[topic as Topic] ?? 0;

interface Player {
  readonly id: string;
  readonly topics: readonly Topic[];
  owned: Map<string, number[]>;
  generation: number;
}

const claimOf = ({ id, topics: its, owned, generation }: Player): GroupMember => ({
  id,
  topics: its,
  owned: new Map([...owned].map(([topic, partitions]) => [topic, [...partitions]])),
  generation,
});

const flat = (of: ReadonlyMap<string, readonly number[]>): string =>
  JSON.stringify(
    [...of]
      .filter(([, its]) => its.length > 0)
      .map(([k, v]) => [k, [...v].sort()])
      .sort(),
  );

/** Everyone joins, gets a share, and lets go at once what it lost. Answers whether anything moved. */
const round = (players: readonly Player[], generation: number): { moved: boolean; problems: string[] } => {
  const shares = assign(players.map(claimOf), countOf);
  const problems: string[] = [];
  let moved = false;
  for (const topic of names) {
    const before = new Map(players.flatMap(({ id, owned }) => (owned.get(topic) ?? []).map((p) => [p, id] as const)));
    const given = new Set<number>();
    for (const { id, topics: its } of players)
      for (const partition of shares.get(id)?.get(topic) ?? []) {
        if (!its.includes(topic)) problems.push(`${id} got ${topic} that it does not consume`);
        if (given.has(partition)) problems.push(`${topic} ${partition} was given twice`);
        given.add(partition);
        const owner = before.get(partition);
        if (owner !== undefined && owner !== id) problems.push(`${topic} ${partition} was taken from ${owner}`);
      }
  }
  for (const player of players) {
    const share = new Map(
      [...(shares.get(player.id) ?? (new Map() as Assignment))].map(([k, v]) => [k, [...v].sort()]),
    );
    moved ||= flat(share) !== flat(player.owned);
    player.owned = share;
    player.generation = generation;
  }
  return { moved, problems };
};

const balanced = (players: readonly Player[]): boolean =>
  names.every((topic) => {
    const sizes = players.filter((p) => p.topics.includes(topic)).map(({ owned }) => owned.get(topic)?.length ?? 0);
    if (sizes.length === 0) return true;
    const sum = sizes.reduce((a, b) => a + b, 0);
    return sum === countOf(topic) && Math.max(...sizes) - Math.min(...sizes) <= 1;
  });

const consumed = fc.constantFrom<readonly Topic[]>(['a'], ['b'], ['a', 'b']);
const change = fc.record({ joins: fc.array(consumed, { maxLength: 3 }), leaves: fc.nat({ max: 3 }) });

testProp(
  'whoever comes and goes, nothing is given twice or taken from its owner, and three rounds balance it for good',
  [fc.array(change, { minLength: 1, maxLength: 6 })],
  (t, changes) => {
    let players: Player[] = [];
    let ids = 0;
    let generation = 0;
    for (const { joins, leaves } of changes) {
      players = players.slice(leaves);
      for (const its of joins)
        players.push({ id: `m${(ids * 7) % 10}-${ids++}`, topics: its, owned: new Map(), generation: -1 });
      for (let n = 0; n < 3; n += 1) t.deepEqual(round(players, (generation += 1)).problems, []);
      t.true(balanced(players));
      t.false(round(players, (generation += 1)).moved);
    }
  },
  { numRuns: 300 },
);

const member = (id: string, generation: number, owned: readonly number[]): GroupMember => ({
  id,
  topics: ['a'],
  owned: new Map([['a', owned]]),
  generation,
});

test('of two that claim a partition the one of the later generation has it', (t) => {
  for (const [early, late] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    const shares = assign([member(early, 3, [0, 1]), member(late, 4, [1])], () => 2);
    t.deepEqual(shares.get(late)?.get('a'), [1]);
    t.deepEqual(shares.get(early)?.get('a'), [0]);
  }
});

test('what a topic no longer has is given to nobody', (t) => {
  const shares = assign([member('one', 1, [0, 5, 9])], () => 2);
  t.deepEqual([...(shares.get('one')?.get('a') ?? [])].sort(), [0, 1]);
});

test('a member without a share still gets an answer', (t) => {
  const shares = assign([member('one', 1, [0]), member('two', -1, [])], () => 1);
  t.deepEqual([...(shares.get('two') ?? [])], []);
  t.deepEqual(shares.get('one')?.get('a'), [0]);
});

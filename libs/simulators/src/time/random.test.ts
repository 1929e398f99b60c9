import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { pick, seeded, systemRandom } from './random.ts';

testProp('a seed decides everything', [fc.nat()], (t, seed) => {
  const [one, two] = [seeded(seed), seeded(seed)];
  t.deepEqual([one.next(), one.uuid(), one.next()], [two.next(), two.uuid(), two.next()]);
});

for (const [name, random] of [
  ['seeded', seeded(7)],
  ['system', systemRandom],
] as const)
  test(`${name}: numbers lie in [0, 1) and spread, ids are UUIDs and differ`, (t) => {
    const numbers = Array.from({ length: 2_000 }, () => random.next());
    t.true(numbers.every((n) => n >= 0 && n < 1));
    const mean = numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
    t.true(Math.abs(mean - 0.5) < 0.06);
    const ids = Array.from({ length: 100 }, () => random.uuid());
    t.is(new Set(ids).size, 100);
    t.true(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
  });

test('every choice is picked in the long run, and nothing else', (t) => {
  const random = seeded(1);
  const picked = new Set(Array.from({ length: 200 }, () => pick(random, ['a', 'b', 'c'])));
  t.deepEqual([...picked].toSorted(), ['a', 'b', 'c']);
});

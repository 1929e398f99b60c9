import test from 'ava';
import { away, gone, well, world } from '../test/world.ts';

const bothWell = async () => [
  well('a'),
  well('b', { partitions: 3, replicas: 1, minInsync: 1, notes: ['has one copy'] }),
];

test('topics that are as they should be end with 0, with what should be known beside them', async (t) => {
  const { run, counts } = world({ check: bothWell });
  const { code, out } = await run('check');
  t.is(code, 0);
  t.deepEqual(out.split('\n'), [
    'TOPIC  PARTITIONS  COPIES  IN SYNC  STATE',
    'a              12       3        2  ok',
    'b               3       1        1  ok; has one copy',
  ]);
  t.deepEqual(counts, { opened: 1, closed: 1 });
});

test('one topic that is not as it should be ends with 1, and is told by name', async (t) => {
  const { run } = world({ check: async () => [well('a'), gone('b')] });
  const { code, out } = await run('check');
  t.is(code, 1);
  t.regex(out, /^b +- +- +- +does not exist$/m);
});

test('as JSON everything is told', async (t) => {
  const { run } = world({ check: async () => [well('a')] });
  t.deepEqual(JSON.parse((await run('check', '--output', 'json')).out), [well('a')]);
});

test('brokers that are away end with 1 and the reason, at once', async (t) => {
  const { run, counts } = world({ check: () => Promise.reject(away()) });
  const { code, err } = await run('check');
  t.is(code, 1);
  t.regex(err, /nobody is there/);
  t.is(counts.closed, 1);
});

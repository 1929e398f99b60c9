import type { TopicChange, TopicState } from '@ranger-relay/bus/kafka';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { away, gone, well, harness } from './test/harness.ts';

/** Answers in turn, the last one for ever; errors are thrown. */
const inTurn = <T>(...answers: readonly (T | RelayError)[]): (() => Promise<T>) => {
  const left = [...answers];
  return async () => {
    const next = (left.length > 1 ? left.shift() : left[0]) as T | RelayError;
    if (next instanceof RelayError) throw next;
    return next;
  };
};

const narrow: TopicState = well('a', {
  partitions: 6,
  isNarrow: true,
  problems: ['has 6 partitions, but 12 are wanted'],
});

/** Runs the command while its clock moves on. */
const ran = async ({ run, shell }: ReturnType<typeof harness>, ms: number, ...args: string[]) => {
  const running = run('apply', ...args);
  await shell.clock.advance(ms);
  return running;
};

test('what is missing is created and what is too little raised, and both are told', async (t) => {
  const here = harness({
    create: inTurn<readonly string[]>(['a'], []),
    update: inTurn<readonly TopicChange[]>([{ name: 'b', did: ['retention.ms is 5 now'] }], []),
    check: inTurn<readonly TopicState[]>([well('a'), well('b')]),
  });
  const { code, out, err } = await ran(here, 5_000);
  t.is(code, 0);
  t.deepEqual(out.split('\n'), ['created a', 'b: retention.ms is 5 now', '1 topic created, 1 topic raised']);
  t.is(err, '');
  t.deepEqual(here.counts, { opened: 1, closed: 1 });
});

test('repeated, it finds nothing to do and ends with 0', async (t) => {
  const { run } = harness({ check: async () => [well('a')] });
  const { code, out } = await run('apply');
  t.is(code, 0);
  t.is(out, '1 topic checked, nothing to do');
});

test('brokers that are not there yet are waited for, each reason is told once', async (t) => {
  const { run, shell } = harness({
    create: inTurn<readonly string[]>(away('refused'), away('refused'), away('no leader'), []),
    check: async () => [well('a')],
  });
  const running = run('apply', '--wait', '1m');
  await shell.clock.advance(30_000);
  const { code, err } = await running;
  t.is(code, 0);
  t.deepEqual(
    err.split('\n').map((line) => /refused|no leader/.exec(line)?.[0]),
    ['refused', 'no leader'],
  );
});

test('the wait has an end, and leaves no timer', async (t) => {
  const { run, shell, counts } = harness({ create: () => Promise.reject(away()) });
  const running = run('apply', '--wait', '1m');
  await shell.clock.advance(61_000);
  t.is((await running).code, 1);
  t.is(shell.clock.pending(), 0);
  t.is(counts.closed, 1);
});

test('an interruption ends the wait with its own exit code', async (t) => {
  const { run, shell } = harness({ create: () => Promise.reject(away()) });
  const running = run('apply', '--wait', '1m');
  await shell.clock.advance(100);
  shell.interrupt();
  t.is((await running).code, 130);
});

test('a broker that has not heard of a change yet is asked again, and fails nothing', async (t) => {
  const behind = well('a', { isFixable: true, problems: ['counts a record as stored with one of 3 copies'] });
  const here = harness({
    create: inTurn<readonly string[]>(['a'], []),
    check: inTurn<readonly TopicState[]>([behind], [gone('a')], [well('a')]),
  });
  const { code, out } = await ran(here, 9_000);
  t.is(code, 0);
  t.deepEqual(out.split('\n'), ['created a', '1 topic created, 0 topics raised']);
});

test('a change is done once a look finds nothing more to do, and counts once', async (t) => {
  const update = { name: 'a', did: ['min.insync.replicas is 2 now'] };
  const here = harness({
    create: inTurn<readonly string[]>(['a'], ['a'], []),
    update: inTurn<readonly TopicChange[]>([], [], [update], [update], []),
    check: inTurn<readonly TopicState[]>([well('a')]),
  });
  const { code, out } = await ran(here, 9_000);
  t.is(code, 0);
  t.deepEqual(out.split('\n'), ['created a', 'a: min.insync.replicas is 2 now', '1 topic created, 1 topic raised']);
});

for (const [what, parts] of [
  ['its creation', { create: inTurn<readonly string[]>(away('timed out'), []) }],
  [
    'what follows its creation',
    { create: inTurn<readonly string[]>(['a'], []), raise: inTurn<readonly TopicChange[]>(away('no leader'), []) },
  ],
] as const)
  test(`a topic is told as created when the answer to ${what} was lost`, async (t) => {
    const here = harness({ ...parts, check: inTurn<readonly TopicState[]>([gone('a')], [well('a')]) });
    const { code, out } = await ran(here, 9_000);
    t.is(code, 0);
    t.deepEqual(out.split('\n'), ['created a', '1 topic created, 0 topics raised']);
  });

test('a change that the brokers never show ends with 1', async (t) => {
  const here = harness({ create: async () => ['a'], check: async () => [gone('a')] });
  const { code, err } = await ran(here, 20_000);
  t.is(code, 1);
  t.regex(err, /did not finish within 10000 ms/);
  t.is(here.shell.clock.pending(), 0);
});

test('fewer partitions than wanted are told and hold nothing up', async (t) => {
  const { run } = harness({ check: async () => [narrow] });
  const { code, out } = await run('apply');
  t.is(code, 0);
  t.regex(out, /^a has 6 partitions/m);
});

test('what it cannot fix ends with 1', async (t) => {
  const { run } = harness({ check: async () => [{ ...narrow, problems: [...narrow.problems, 'is compacted'] }] });
  t.is((await run('apply')).code, 1);
});

test('partitions are added only when that is asked for', async (t) => {
  const asked: boolean[] = [];
  const parts = {
    update: async ({ partitions }: { readonly partitions: boolean }) => {
      asked.push(partitions);
      return [];
    },
  };
  await harness(parts).run('apply');
  await harness(parts).run('apply', '--raise-partitions');
  t.deepEqual(asked, [false, true]);
});

test('as JSON everything is told', async (t) => {
  const here = harness({ create: inTurn<readonly string[]>(['a'], []), check: async () => [well('a')] });
  const { out } = await ran(here, 5_000, '--output', 'json', '--replication', '3');
  t.deepEqual(JSON.parse(out), { created: ['a'], raised: [], topics: [well('a')] });
});

for (const command of ['create', 'apply'])
  test(`topics ${command} warns aloud of topics with one copy of each record, and is no failure`, async (t) => {
    const { run } = harness({ check: async () => [well('a', { replicas: 1, minInsync: 1 }), well('b')] });
    const { code, err } = await run(command);
    t.is(code, 0);
    t.regex(err, /WARNING: 1 topic with one copy of each record.*--replication 3/);
  });

test('raising partitions waits for what waits, and says in the end what it is', async (t) => {
  const refusal = new RelayError('partitions_in_use', { details: { topic: 'a', records: 3, group: 'g' } });
  let tries = 0;
  const update = async () => {
    tries += 1;
    throw refusal;
  };
  const { run, shell } = harness({ check: async () => [well('a', { isNarrow: true })], update });
  const running = run('apply', '--raise-partitions', '--wait', '5s');
  for (let n = 0; n < 200; n += 1) await shell.clock.advance(100);
  const { code, err } = await running;
  t.is(code, 1);
  t.true(tries > 2);
  t.regex(err, /3 records wait for g/);
});

const bothWell = async () => [
  well('a'),
  well('b', { partitions: 3, replicas: 1, minInsync: 1, notes: ['has one copy'] }),
];

test('topics that are as they should be end with 0, with what should be known beside them', async (t) => {
  const { run, counts } = harness({ check: bothWell });
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
  const { run } = harness({ check: async () => [well('a'), gone('b')] });
  const { code, out } = await run('check');
  t.is(code, 1);
  t.regex(out, /^b +- +- +- +does not exist$/m);
});

test('as JSON the check tells everything', async (t) => {
  const { run } = harness({ check: async () => [well('a')] });
  t.deepEqual(JSON.parse((await run('check', '--output', 'json')).out), [well('a')]);
});

test('brokers that are away end with 1 and the reason, at once', async (t) => {
  const { run, counts } = harness({ check: () => Promise.reject(away()) });
  const { code, err } = await run('check');
  t.is(code, 1);
  t.regex(err, /nobody is there/);
  t.is(counts.closed, 1);
});

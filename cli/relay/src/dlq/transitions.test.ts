import { fc } from '@fast-check/ava';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { letter, harness } from './test/harness.ts';

const ids = ['a', 'b', 'c', 'd'] as const;

const step = fc.record({
  act: fc.constantFrom('replay', 'drop'),
  named: fc.uniqueArray(fc.constantFrom(...ids, 'nobody'), { minLength: 1 }),
  storeAway: fc.boolean(),
});

const away = (): never => {
  throw new RelayError('kv_unavailable', { details: { reason: 'test' } });
};

test('whatever is called in whatever order, each letter is decided at most once and sent only by a replay', async (t) => {
  const { run, store, events, kv, shell } = harness();
  await store(...ids.map((id) => letter({ id })));
  const decided = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 4 }), async (steps) => {
      decided.clear();
      for (const id of ids) await kv.state.delete(`dlq.${id}`);
      const before = (await events()).length;
      for (const { act, named, storeAway } of steps) {
        kv.state.away = storeAway;
        await run(act, ...named);
        kv.state.away = false;
        if (!storeAway) for (const id of named) if (id !== 'nobody' && !decided.has(id)) decided.set(id, act);
      }
      const { out } = await run('list', '--output', 'json');
      const live = (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
      t.deepEqual(
        live,
        ids.filter((id) => !decided.has(id)),
      );
      const replayed = [...decided.values()].filter((act) => act === 'replay').length;
      t.is((await events()).length - before, replayed);
    }),
    { numRuns: 15 },
  );
  t.true(shell.failed());
});

test('a replay whose mark got lost leaves the letter live and says so', async (t) => {
  const { run, store, events, kv } = harness();
  await store(letter());
  kv.state.before = ({ op, key }) => void (op === 'set' && key === 'dlq.letter-1' && away());
  const { code, err } = await run('replay', 'letter-1');
  kv.state.before = () => undefined;
  t.is(code, 1);
  t.regex(err, /failed +letter-1 .*key-value store does not answer/);
  t.regex((await run('list')).out, /^letter-1/m);
  t.is((await events()).length, 1);
});

test('a claim that cannot be given back does not undo the replay', async (t) => {
  const { run, store, kv } = harness();
  await store(letter());
  kv.state.before = ({ op, key }) => void (op === 'delete' && key.startsWith('dlq-claim.') && away());
  const { out } = await run('replay', 'letter-1');
  kv.state.before = () => undefined;
  t.regex(out, /1 dead letter replayed, 0 failed/);
});

test('a bus that does not take the event leaves the letter live', async (t) => {
  const { run, store, kv, bus } = harness();
  await store(letter());
  await bus.close();
  const { code } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.is(await kv.state.get('dlq.letter-1'), null);
});

test('two replays at once send the event once', async (t) => {
  const { run, store, events } = harness();
  await store(letter());
  await Promise.all([run('replay', 'letter-1'), run('replay', 'letter-1')]);
  t.is(new Set((await events()).map(({ event }) => event.event_id)).size, 1);
  t.is((await events()).length, 1);
});

test('while the store is away nothing is decided and nothing is sent', async (t) => {
  const { run, store, events, kv } = harness();
  await store(letter());
  kv.state.away = true;
  for (const args of [['list'], ['replay', '--all'], ['drop', '--all', '--yes'], ['show', 'letter-1']]) {
    const { code, err } = await run(...args);
    t.is(code, 1, args.join(' '));
    t.regex(err, /The key-value store does not answer/);
  }
  t.deepEqual(await events(), []);
});

import test from 'ava';
import { letter, world } from '../test/world.ts';

test('a dropped letter is marked for as long as the topic keeps it', async (t) => {
  const { run, store, kv, clock } = await world(t);
  await store(letter());
  const { code, out } = await run('drop', 'letter-1');
  t.is(code, 0);
  t.regex(out, /^dropped +letter-1 +message +item_refused$/m);
  t.deepEqual(JSON.parse((await kv.state.get('dlq.letter-1')) ?? ''), {
    state: 'dropped',
    at: '2026-01-01T00:00:00.000Z',
  });
  clock.jump(30 * 86_400_000 - 1);
  t.not(await kv.state.get('dlq.letter-1'), null);
  clock.jump(2);
  t.is(await kv.state.get('dlq.letter-1'), null);
});

test('--all with a filter drops what fits and nothing else', async (t) => {
  const { run, store } = await world(t);
  await store(
    letter({ id: 'a', reason: 'invalid_json' }),
    letter({ id: 'b' }),
    letter({ id: 'c', reason: 'invalid_json' }),
  );
  t.regex((await run('drop', '--all', '--reason', 'invalid_json')).out, /2 dead letters dropped/);
  const { out } = await run('list', '--output', 'json');
  t.deepEqual(
    (JSON.parse(out) as { id: string }[]).map(({ id }) => id),
    ['b'],
  );
});

test('a named letter that there is not ends with 1 and keeps no other back', async (t) => {
  const { run, store } = await world(t);
  await store(letter());
  const { code, out, err } = await run('drop', 'nobody', 'letter-1');
  t.is(code, 1);
  t.regex(err, /no dead letter nobody/);
  t.regex(out, /1 dead letter dropped/);
});

test('a letter is dropped once', async (t) => {
  const { run, store } = await world(t);
  await store(letter());
  await run('drop', 'letter-1');
  t.is((await run('drop', 'letter-1')).code, 1);
});

test('nothing goes to the platform', async (t) => {
  const { run, store, events } = await world(t);
  await store(letter());
  await run('drop', '--all');
  t.deepEqual(await events(), []);
});

for (const [args, sentence] of [
  [['drop'], /Name the ids of dead letters, or say --all/],
  [['drop', 'letter-1', '--all'], /not both/],
  [['drop', 'letter-1', '--reason', 'x'], /go with --all/],
  [['replay'], /Name the ids of dead letters, or say --all/],
] as const)
  test(`the call "dlq ${args.join(' ')}" is refused and changes nothing`, async (t) => {
    const { run, store, kv } = await world(t);
    await store(letter());
    const { code, err } = await run(...args);
    t.is(code, 2);
    t.regex(err, sentence);
    t.deepEqual(await kv.state.list('dlq.'), []);
  });

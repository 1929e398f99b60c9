import test from 'ava';
import { letter, refusedEvent, world } from '../test/world.ts';

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
  t.regex((await run('drop', '--all', '--reason', 'invalid_json', '--yes')).out, /2 dead letters dropped/);
  const { out } = await run('list', '--output', 'json');
  t.deepEqual(
    (JSON.parse(out) as { id: string }[]).map(({ id }) => id),
    ['b'],
  );
});

test('--all drops nothing without a yes: asked for on a terminal, said with --yes elsewhere', async (t) => {
  const { run, store, shell, kv } = await world(t);
  await store(letter({ id: 'a' }), letter({ id: 'b', body: refusedEvent({ sos: 'declared' }) }));
  const marks = async () => (await kv.state.list('dlq.')).length;
  const refused = await run('drop', '--all');
  t.is(refused.code, 2);
  t.regex(refused.err, /--all drops 2 dead letters for good; say --yes as well, or look first with --dry-run/);
  shell.answer = false;
  t.is((await run('drop', '--all')).out, 'Nothing was dropped.');
  t.is(shell.questions.at(-1), 'Drop 2 dead letters, 1 of an SOS, for good?');
  t.is(await marks(), 0);
  shell.answer = true;
  t.regex((await run('drop', '--all')).out, /2 dead letters dropped/);
  t.is(await marks(), 2);
});

test('--dry-run tells what would be dropped, and drops nothing', async (t) => {
  const { run, store, kv } = await world(t);
  await store(letter({ id: 'a' }));
  const { code, out } = await run('drop', '--all', '--dry-run');
  t.is(code, 0);
  t.is(out, 'to drop   a  message  item_refused\n1 dead letter to drop; nothing was dropped.');
  t.is((await kv.state.list('dlq.')).length, 0);
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
  await run('drop', '--all', '--yes');
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

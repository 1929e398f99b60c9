import test from 'ava';
import { letterMark, markedLetters, markLetter } from './marks.ts';
import { letter, world } from './test/world.ts';

test('a letter without a mark is live', async (t) => {
  const { kv } = await world(t);
  t.is(await letterMark(kv.state, 'a'), null);
  t.deepEqual([...(await markedLetters(kv.state))], []);
});

test('a mark says what was decided and when', async (t) => {
  const { kv, clock } = await world(t);
  await clock.advance(1_500);
  await markLetter(kv.state, clock, 'a', 'replayed');
  t.deepEqual(await letterMark(kv.state, 'a'), { state: 'replayed', at: '2026-01-01T00:00:01.500Z' });
});

test('marked letters are found by their ids alone; claims of replays under way are none', async (t) => {
  const { kv, clock } = await world(t);
  await markLetter(kv.state, clock, 'a', 'dropped');
  await markLetter(kv.state, clock, 'b.c', 'replayed');
  await kv.state.set('dlq-claim.d', 'claimed');
  t.deepEqual([...(await markedLetters(kv.state))].sort(), ['a', 'b.c']);
});

test('while the store is away nothing is decided and nothing is sent', async (t) => {
  const { run, store, events, kv } = await world(t);
  await store(letter());
  kv.fail();
  for (const args of [['list'], ['replay', '--all'], ['drop', '--all', '--yes'], ['show', 'letter-1']]) {
    const { code, err } = await run(...args);
    t.is(code, 1, args.join(' '));
    t.regex(err, /The key-value store does not answer/);
  }
  t.deepEqual(await events(), []);
});

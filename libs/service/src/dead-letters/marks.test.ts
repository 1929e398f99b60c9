import { temporaryKv } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { letterMark, markedLetters, markLetter } from './marks.ts';

const world = async (t: ExecutionContext) => {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
  const temporary = await temporaryKv({ clock });
  t.teardown(() => temporary.close());
  return { clock, kv: temporary.kv };
};

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

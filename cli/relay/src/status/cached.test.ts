import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { cached } from './cached.ts';

const world = (takesMs = 0) => {
  const clock = manualClock();
  let made = 0;
  const state = { fail: false };
  const ask = cached(async () => {
    made += 1;
    const mine = made;
    if (takesMs > 0) await clock.sleep(takesMs);
    if (state.fail) throw new Error('away');
    return mine;
  }, clock);
  return { clock, ask, state, made: () => made };
};

test('a second of callers shares one result', async (t) => {
  const { clock, ask } = world();
  t.is(await ask(), 1);
  await clock.advance(999);
  t.is(await ask(), 1);
  await clock.advance(1);
  t.is(await ask(), 2);
});

test('callers at once share one making', async (t) => {
  const { ask, made } = world();
  t.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  t.is(made(), 1);
});

test('what takes long to make is kept ten times as long, so that it never fills the machine', async (t) => {
  const { clock, ask } = world(500);
  const asked = ask();
  await clock.advance(500);
  t.is(await asked, 1);
  await clock.advance(4_900);
  t.is(await ask(), 1);
  await clock.advance(200);
  const again = ask();
  await clock.advance(500);
  t.is(await again, 2);
});

test('a failure is told to those who asked and is not kept', async (t) => {
  const { ask, state } = world();
  state.fail = true;
  await t.throwsAsync(ask(), { message: 'away' });
  state.fail = false;
  t.is(await ask(), 2);
});

import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { repeat, repeatAtRate } from '../index.ts';
import { manualClock } from '../testing/index.ts';

const durations = fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 8 });

/** Work that lasts as long as is said, and what can be seen of it. */
const setUp = (lasts: readonly number[]) => {
  const clock = manualClock();
  const began: number[] = [];
  const seen = { running: 0, most: 0 };
  const work = async (): Promise<void> => {
    const ms = lasts[began.length] ?? 0;
    began.push(clock.monotonic());
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    if (ms > 0) await clock.sleep(ms);
    seen.running -= 1;
  };
  return { clock, began, seen, work };
};

testProp(
  'each run begins a while after the last one ended',
  [durations, fc.integer({ min: 1, max: 200 })],
  async (t, lasts, everyMs) => {
    const { clock, began, seen, work } = setUp(lasts);
    const stop = repeat({ clock, everyMs }, work);
    for (const ms of lasts) await clock.advance(ms + everyMs);
    let at = everyMs;
    for (const [index, ms] of lasts.entries()) {
      t.is(began[index], at);
      at += ms + everyMs;
    }
    const stopped = stop();
    await clock.advance(1_000);
    await stopped;
    t.is(seen.most, 1);
    t.is(clock.pending(), 0);
  },
);

testProp(
  'a rate is kept, and a run that would overlap is left out',
  [durations, fc.integer({ min: 1, max: 200 })],
  async (t, lasts, everyMs) => {
    const { clock, began, seen, work } = setUp(lasts);
    const stop = repeatAtRate({ clock, everyMs }, work);
    await clock.advance(2_000);
    t.is(seen.most, 1);
    t.true(began.length > 0);
    for (const [index, at] of began.entries()) {
      t.is(at % everyMs, 0);
      const last = began[index - 1];
      // A run that ends in the moment of a tick may be seen by it or not.
      if (last !== undefined) t.true(at - last <= Math.floor((lasts[index - 1] ?? 0) / everyMs + 1) * everyMs);
    }
    const stopped = stop();
    await clock.advance(1_000);
    await stopped;
    t.is(clock.pending(), 0);
  },
);

test('the first run can have a time of its own, and the time between runs can change', async (t) => {
  const { clock, began, work } = setUp([]);
  let everyMs = 100;
  const stop = repeat({ clock, everyMs: () => everyMs, firstMs: 0 }, work);
  t.deepEqual(began, [0]);
  await clock.advance(100);
  everyMs = 10;
  await clock.advance(110);
  await stop();
  t.deepEqual(began, [0, 100, 200, 210]);
});

test('a stop during a run waits for its end, and no run follows', async (t) => {
  for (const begin of [repeat, repeatAtRate]) {
    const { clock, began, seen, work } = setUp([50]);
    const stop = begin({ clock, everyMs: 100 }, work);
    await clock.advance(120);
    const stopped = stop().then(() => t.is(seen.running, 0));
    t.is(seen.running, 1);
    await clock.advance(1_000);
    await stopped;
    t.is(began.length, 1);
  }
});

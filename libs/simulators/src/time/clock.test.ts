import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { fastClock, systemClock, wait } from './clock.ts';

test('a fast clock runs its timers and its time so many times as fast', (t) => {
  const base = manualClock(1_000);
  const fast = fastClock(base, 60);
  let rang = false;
  fast.after(60_000, () => (rang = true));
  base.advance(999);
  t.false(rang);
  t.is(fast.now(), 1_000 + 999 * 60);
  base.advance(1);
  t.true(rang);
  t.is(fast.monotonic(), 60_000);
});

test('a wait ends with its time, and at once when it is aborted', async (t) => {
  const clock = manualClock();
  const ending = wait(clock, 5_000);
  t.is(await clock.toNextTimer(), 5_000);
  await ending;
  const abort = new AbortController();
  const aborted = wait(clock, 5_000, abort.signal);
  abort.abort();
  await aborted;
  t.is(clock.pending(), 0);
  await wait(clock, 5_000, abort.signal);
  t.is(clock.pending(), 0);
});

test('a cancelled timer of the system clock does not run', async (t) => {
  const timer = systemClock.after(0, () => t.fail());
  timer.cancel();
  await new Promise<void>((resolve) => systemClock.after(1, resolve, true));
  t.pass();
});

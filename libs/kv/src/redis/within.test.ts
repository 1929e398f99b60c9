import { setImmediate } from 'node:timers/promises';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { afterReads } from './within.ts';

/** A clock whose event loop can stand still: timers are as late as it did. */
const pausing = () => {
  const clock = manualClock();
  let paused = 0;
  return {
    clock: { ...clock, monotonic: () => clock.monotonic() + paused },
    advance: (ms: number) => clock.advance(ms),
    pause: (ms: number) => (paused += ms),
  };
};

test('a wait ends when its time is over and what has arrived is read', async (t) => {
  const { clock, advance } = pausing();
  let ends = 0;
  afterReads(clock, 2_000, () => (ends += 1));
  await advance(1_999);
  await setImmediate();
  t.is(ends, 0);
  await advance(1);
  await setImmediate();
  t.is(ends, 1);
});

test('behind a pause of the event loop a wait goes on for a moment, once', async (t) => {
  const { clock, advance, pause } = pausing();
  let ends = 0;
  afterReads(clock, 2_000, () => (ends += 1));
  pause(1_000);
  await advance(2_000);
  await setImmediate();
  t.is(ends, 0);
  pause(1_000);
  await advance(250);
  await setImmediate();
  t.is(ends, 1);
});

test('a wait that is cancelled behind a pause does not end', async (t) => {
  const { clock, advance, pause } = pausing();
  let ends = 0;
  const timer = afterReads(clock, 2_000, () => (ends += 1));
  pause(1_000);
  await advance(2_000);
  timer.cancel();
  await advance(1_000);
  await setImmediate();
  t.is(ends, 0);
});

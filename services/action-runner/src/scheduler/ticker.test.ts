import { mock } from 'node:test';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { cronTicker, steadyTicker, type Ticker } from './ticker.ts';

test.serial('it ticks at every full minute until it is stopped', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 0, 5, 12, 0, 30) });
  t.teardown(() => mock.timers.reset());
  const passing = mock.method(performance, 'now', () => Date.now());
  t.teardown(() => passing.mock.restore());
  const ticks: string[] = [];
  const ticking = cronTicker(() => void ticks.push(new Date().toISOString().slice(11, 19)));
  for (let second = 0; second < 150; second += 1) {
    mock.timers.tick(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.deepEqual(ticks, ['12:01:00', '12:02:00', '12:03:00']);
  ticking.stop();
  for (let second = 0; second < 120; second += 1) {
    mock.timers.tick(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(ticks.length, 3);
});

const steady = () => {
  const clock = manualClock();
  const begun: (() => void)[] = [];
  let stopped = 0;
  let ticks = 0;
  const minutes: Ticker = (onTick) => {
    begun.push(onTick);
    return { stop: () => void (stopped += 1) };
  };
  const ticking = steadyTicker(minutes, clock)(() => (ticks += 1));
  return { clock, begun, ticking, ticks: () => ticks, stopped: () => stopped };
};

test('a tick comes all the same when none is to come, as in the hour that a clock change repeats', async (t) => {
  const { clock, begun, ticks, ticking } = steady();
  await clock.advance(60_000);
  begun[0]?.();
  await clock.advance(60_000);
  t.is(ticks(), 1);
  await clock.advance(10 * 60_000);
  t.true(ticks() >= 9);
  ticking.stop();
  t.is(clock.pending(), 0);
});

for (const hours of [-3, 24 * 365])
  test(`a clock that is set by ${hours} hours is followed at once, and minutes are counted anew`, async (t) => {
    const { clock, begun, stopped, ticks, ticking } = steady();
    await clock.advance(60_000);
    begun[0]?.();
    clock.jump(hours * 3_600_000);
    await clock.advance(5_000);
    t.deepEqual([ticks(), begun.length, stopped()], [2, 2, 1]);
    await clock.advance(50_000);
    t.is(begun.length, 2);
    ticking.stop();
    t.is(stopped(), 2);
  });

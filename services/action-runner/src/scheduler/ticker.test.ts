import { mock } from 'node:test';
import test from 'ava';
import { cronTicker } from './ticker.ts';

test.serial('it ticks at every full minute until it is stopped', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 0, 5, 12, 0, 30) });
  t.teardown(() => mock.timers.reset());
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

import { getEventListeners } from 'node:events';
import test from 'ava';
import { countSuspended } from './clock.ts';
import { systemClock } from './index.ts';
import { manualClock } from './testing/index.ts';

test('monotonic time never goes back, and the wall clock is the machine’s', (t) => {
  const before = systemClock.monotonic();
  t.true(systemClock.monotonic() >= before);
  t.true(Math.abs(systemClock.now() - Date.now()) < 1_000);
});

test('a timer runs its task once', async (t) => {
  let runs = 0;
  await new Promise<void>((resolve) => {
    systemClock.after(
      0,
      () => {
        runs += 1;
        resolve();
      },
      true,
    );
  });
  t.is(runs, 1);
});

test('a cancelled timer never runs', async (t) => {
  systemClock.after(0, () => t.fail(), true).cancel();
  await systemClock.sleep(1);
  t.pass();
});

test('a sleep ends at once with the reason of its signal, before and during', async (t) => {
  const reason = new Error('stop');
  await t.throwsAsync(systemClock.sleep(60_000, AbortSignal.abort(reason)), { is: reason });
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await t.throwsAsync(sleeping, { is: reason });
});

test('a sleep that ends leaves no listener on its signal', async (t) => {
  const { signal } = new AbortController();
  const sleeping = systemClock.sleep(0, signal);
  t.is(getEventListeners(signal, 'abort').length, 1);
  await sleeping;
  t.is(getEventListeners(signal, 'abort').length, 0);
});

test('a turn ends after the work that already waits for the event loop', async (t) => {
  for (const { turn } of [systemClock, manualClock()]) {
    let ran = false;
    setImmediate(() => (ran = true));
    await turn();
    t.true(ran);
  }
});

test('time in which the machine was suspended counts, once, and a clock that is set does not', (t) => {
  const machine = { running: 5_000, wall: 1_767_225_600_000, boot: 90_000, asked: 0 };
  const monotonic = countSuspended({
    running: () => machine.running,
    wall: () => machine.wall,
    sinceBoot: () => {
      machine.asked += 1;
      return machine.boot;
    },
  });
  const pass = (ms: number, suspendedMs = 0): void => {
    machine.running += ms;
    machine.wall += ms + suspendedMs;
    machine.boot += ms + suspendedMs;
  };
  const start = monotonic();
  pass(10_000);
  t.is(monotonic() - start, 10_000);
  t.is(machine.asked, 1);

  pass(500, 60_000);
  t.is(monotonic() - start, 70_500);
  pass(500);
  t.is(monotonic() - start, 71_000);
  t.is(machine.asked, 2);

  for (const jump of [86_400_000, -2 * 86_400_000]) {
    machine.wall += jump;
    pass(100);
    const before = monotonic();
    pass(100);
    t.is(monotonic() - before, 100);
  }
  pass(0, 5_000);
  t.is(monotonic() - start, 76_400);
});

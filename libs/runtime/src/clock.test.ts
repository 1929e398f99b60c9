import { getEventListeners } from 'node:events';
import test from 'ava';
import { systemClock } from './index.ts';

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

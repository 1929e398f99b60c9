import test from 'ava';
import { manualClock } from '@ranger-relay/runtime/testing';
import { createRecordNotifier } from './record-notifier.ts';

const start = () => {
  const clock = manualClock();
  let version = 1;
  let asked = 0;
  const notifier = createRecordNotifier(clock, () => {
    asked += 1;
    return version < 0 ? Promise.reject(new Error('away')) : Promise.resolve(version);
  });
  const calls: string[] = [];
  return {
    clock,
    notifier,
    calls,
    listen: (name: string, ...slots: number[]) => notifier.listen(slots, () => calls.push(name)),
    asked: () => asked,
    write: (to = version + 1) => (version = to),
  };
};

test('publishing wakes the listeners of its slots at once, and no others', (t) => {
  const { notifier, calls, listen } = start();
  listen('one', 1);
  listen('both', 1, 2);
  listen('three', 3);
  notifier.published([1]);
  t.deepEqual(calls, ['one', 'both']);
});

test('without a listener nothing is asked, and there is no timer', async (t) => {
  const { clock, asked } = start();
  await clock.advance(10_000);
  t.is(asked(), 0);
  t.is(clock.pending(), 0);
});

test('one poll serves all listeners', async (t) => {
  const { clock, asked, listen } = start();
  for (let slot = 0; slot < 48; slot += 1) listen(`${slot}`, slot);
  t.is(clock.pending(), 1);
  await clock.advance(5_000);
  t.is(asked(), 10);
});

test('the first poll wakes: something may have been written before it', async (t) => {
  const { clock, calls, listen } = start();
  listen('one', 1);
  await clock.advance(500);
  t.deepEqual(calls, ['one']);
  await clock.advance(5_000);
  t.deepEqual(calls, ['one']);
});

test('the write of another process wakes every listener once', async (t) => {
  const { clock, calls, listen, write } = start();
  listen('both', 1, 2);
  listen('three', 3);
  await clock.advance(500);
  calls.length = 0;
  write();
  await clock.advance(1_000);
  t.deepEqual(calls, ['both', 'three']);
});

test('a listener that stopped is not woken, and the last one stops the poll', async (t) => {
  const { clock, notifier, calls, listen } = start();
  const stop = listen('one', 1);
  stop();
  notifier.published([1]);
  await clock.advance(1_000);
  t.deepEqual(calls, []);
  t.is(clock.pending(), 0);
});

test('a poll that fails is tried again', async (t) => {
  const { clock, calls, listen, write } = start();
  listen('one', 1);
  write(-1);
  await clock.advance(1_000);
  t.deepEqual(calls, []);
  write(7);
  await clock.advance(500);
  t.deepEqual(calls, ['one']);
});

test('closing leaves no timer', async (t) => {
  const { clock, notifier, listen } = start();
  listen('one', 1);
  notifier.close();
  t.is(clock.pending(), 0);
  listen('two', 2);
  t.is(clock.pending(), 0);
});

import { getEventListeners } from 'node:events';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createKeyedMutex, mapWithConcurrency, pLimit } from '../index.ts';
import { manualClock } from '../testing/index.ts';

test('no more than the limit run at a time, in the order in which they came, and a failure frees its place', async (t) => {
  const limit = pLimit(2);
  const ends: (() => void)[] = [];
  const order: number[] = [];
  let [running, most] = [0, 0];
  const tasks = Array.from({ length: 6 }, (_, number) =>
    limit(async () => {
      order.push(number);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      if (number === 1) throw new Error('one fails');
      return number;
    }),
  );
  const settled = Promise.allSettled(tasks);
  for (let ended = 0; ended < tasks.length;) {
    await new Promise((resolve) => setImmediate(resolve));
    for (const end of ends.splice(0)) {
      end();
      ended += 1;
    }
  }
  t.is((await settled).filter(({ status }) => status === 'rejected').length, 1);
  t.deepEqual(order, [0, 1, 2, 3, 4, 5]);
  t.is(most, 2);
});

testProp(
  'items are worked on in order, no more than the width at a time, and results keep their places',
  [fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 }), fc.integer({ min: 1, max: 4 })],
  async (t, lasts, width) => {
    const clock = manualClock();
    const began: number[] = [];
    let [running, most] = [0, 0];
    const all = mapWithConcurrency([...lasts.entries()], width, async ([index, ms]) => {
      began.push(index);
      running += 1;
      most = Math.max(most, running);
      await clock.sleep(ms);
      running -= 1;
      return index;
    });
    await clock.advance(1_000);
    const order = [...lasts.keys()];
    t.deepEqual(await all, order);
    t.deepEqual(began, order);
    t.is(most, Math.min(width, lasts.length));
  },
);

test('a failure of one item is thrown when the work of all has ended', async (t) => {
  const clock = manualClock();
  const ended: number[] = [];
  const all = mapWithConcurrency([1, 2, 3], 2, async (item) => {
    if (item === 1) throw new Error('no');
    await clock.sleep(10);
    ended.push(item);
  });
  const thrown = t.throwsAsync(all, { message: 'no' }).then(() => t.deepEqual(ended, [2, 3]));
  await clock.advance(100);
  await thrown;
});

const setUp = () => {
  const clock = manualClock();
  const turns = createKeyedMutex(clock);
  const log: string[] = [];
  const task = (name: string, ms: number) => async (): Promise<string> => {
    log.push(`${name} begins`);
    await clock.sleep(ms);
    log.push(`${name} ends`);
    return name;
  };
  return { clock, turns, log, task };
};

test('tasks of one name run one after the other, in order; other names do not wait', async (t) => {
  const { clock, turns, log, task } = setUp();
  const running = Promise.all([
    turns.take('x', 1_000, task('a', 10)),
    turns.take('x', 1_000, task('b', 10)),
    turns.take('y', 1_000, task('c', 5)),
  ]);
  await clock.advance(100);
  t.deepEqual(await running, ['a', 'b', 'c']);
  t.deepEqual(log, ['a begins', 'c begins', 'c ends', 'a ends', 'b begins', 'b ends']);
  t.is(clock.pending(), 0);
});

test('who would have to wait too long gives up, and holds up nobody behind', async (t) => {
  const { clock, turns, log, task } = setUp();
  const first = turns.take('x', 1_000, task('a', 100));
  const second = turns.take('x', 50, task('b', 10));
  const third = turns.take('x', 1_000, task('c', 10));
  await clock.advance(50);
  t.is(await second, undefined);
  t.deepEqual(log, ['a begins']);
  await clock.advance(100);
  t.deepEqual([await first, await third], ['a', 'c']);
  t.deepEqual(log, ['a begins', 'a ends', 'c begins', 'c ends']);
});

test('a task that fails passes the turn on', async (t) => {
  const { clock, turns, task } = setUp();
  const failing = t.throwsAsync(turns.take('x', 10, () => Promise.reject(new Error('no'))));
  const next = turns.take('x', 10, task('b', 1));
  await clock.advance(10);
  await failing;
  t.is(await next, 'b');
});

test('a task whose signal is aborted leaves the line at once; one that has begun goes on', async (t) => {
  const { clock, turns, log, task } = setUp();
  const [begun, waiting] = [new AbortController(), new AbortController()];
  const first = turns.take('x', 1_000, task('a', 100), begun.signal);
  const second = turns.take('x', 1_000, task('b', 10), waiting.signal);
  const third = turns.take('x', 1_000, task('c', 10));
  begun.abort();
  waiting.abort();
  t.is(await second, undefined);
  t.deepEqual(log, ['a begins']);
  await clock.advance(200);
  t.deepEqual([await first, await third], ['a', 'c']);
  t.deepEqual(log, ['a begins', 'a ends', 'c begins', 'c ends']);
});

test('no listener is left on a signal that lives on', async (t) => {
  const { clock, turns, task } = setUp();
  const { signal } = new AbortController();
  const all = [1, 2, 3].map((n) => turns.take('x', 1_000, task(`${n}`, 10), signal));
  await clock.advance(100);
  t.deepEqual(await Promise.all(all), ['1', '2', '3']);
  t.is(getEventListeners(signal, 'abort').length, 0);
});

testProp(
  'of one name one task runs at a time, in order, whoever gives up',
  [fc.array(fc.record({ ms: fc.integer({ min: 1, max: 50 }), withinMs: fc.nat({ max: 100 }), fails: fc.boolean() }))],
  async (t, tasks) => {
    const clock = manualClock();
    const turns = createKeyedMutex(clock);
    const ran: number[] = [];
    let running = 0;
    const all = tasks.map(({ ms, withinMs, fails }, index) =>
      turns.take('x', withinMs, async () => {
        t.is(running, 0);
        running += 1;
        ran.push(index);
        await clock.sleep(ms);
        running -= 1;
        if (fails) throw new Error('no');
        return index;
      }),
    );
    const ended = Promise.allSettled(all);
    await clock.advance(10_000);
    for (const [index, result] of (await ended).entries()) {
      if (result.status === 'fulfilled') t.is(result.value, ran.includes(index) ? index : undefined);
      else t.true(tasks[index]?.fails && ran.includes(index));
    }
    t.deepEqual(
      ran,
      ran.toSorted((a, b) => a - b),
    );
    t.is(clock.pending(), 0);
  },
);

import { getEventListeners } from 'node:events';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createQueue } from './queue.ts';

const setUp = () => {
  const clock = manualClock();
  const queue = createQueue(clock);
  const ends: (() => void)[] = [];
  const task = () => new Promise<string>((resolve) => ends.push(() => resolve('done')));
  return { clock, queue, ends, task, open: new AbortController().signal };
};

test('tasks of one name run one after the other, those of others beside them', async (t) => {
  const { clock, queue, ends, task, open } = setUp();
  const all = ['a', 'a', 'b'].map((name) => queue.run(name, open, task));
  await clock.advance(0);
  t.is(ends.length, 2);
  for (const end of ends) end();
  await clock.advance(0);
  ends[2]?.();
  t.deepEqual(await Promise.all(all), ['done', 'done', 'done']);
});

test('who waits is let go at once when its signal is aborted, and its task never runs', async (t) => {
  const { clock, queue, ends, task, open } = setUp();
  const abort = new AbortController();
  const first = queue.run('a', open, task);
  const second = queue.run('a', abort.signal, task);
  await clock.advance(0);
  abort.abort();
  t.is(await second, undefined);
  ends[0]?.();
  t.is(await first, 'done');
  t.is(ends.length, 1);
});

test('no listener is left on a signal that lives on', async (t) => {
  const { clock, queue, ends, task, open } = setUp();
  for (let round = 0; round < 20; round += 1) {
    const running = queue.run('a', open, task);
    await clock.advance(0);
    ends.pop()?.();
    await running;
  }
  t.is(getEventListeners(open, 'abort').length, 0);
});

test('a task that has begun is finished although its signal is aborted', async (t) => {
  const { clock, queue, ends, task } = setUp();
  const abort = new AbortController();
  const running = queue.run('a', abort.signal, task);
  await clock.advance(0);
  abort.abort();
  await clock.advance(0);
  ends[0]?.();
  t.is(await running, 'done');
});

test('whose turn does not come in five minutes is let go', async (t) => {
  const { clock, queue, task, open } = setUp();
  void queue.run('a', open, task);
  const second = queue.run('a', open, task);
  await clock.advance(300_000);
  t.is(await second, undefined);
});

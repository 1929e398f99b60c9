import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createTurns } from './turns.ts';

const setUp = () => {
  const clock = manualClock();
  const turns = createTurns(clock);
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

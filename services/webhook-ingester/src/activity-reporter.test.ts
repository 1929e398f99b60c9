import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createHourlyThrottle } from './activity-reporter.ts';

const setUp = () => {
  const clock = manualClock();
  const store = memorySpace(clock);
  const hourly = createHourlyThrottle(store, clock);
  const told: string[] = [];
  const once = async (key: string): Promise<void> => {
    hourly.run('topic', key, () => told.push(key));
    await clock.advance(0);
  };
  return { clock, store, told, once };
};

test('the first of a key in an hour is let through, each key for itself', async (t) => {
  const { told, once } = setUp();
  for (const key of ['a', 'a', 'b', 'a', 'b']) await once(key);
  t.deepEqual(told, ['a', 'b']);
});

test('an hour later it is let through again', async (t) => {
  const { clock, told, once } = setUp();
  await once('a');
  await clock.advance(3_599_999);
  await once('a');
  t.is(told.length, 1);
  await clock.advance(1);
  await once('a');
  t.is(told.length, 2);
});

test('what another replica told is not told again', async (t) => {
  const { store, told, once } = setUp();
  await store.set('hourly.topic.a', 'told');
  await once('a');
  t.deepEqual(told, []);
});

test('without the store this process still lets only the first through', async (t) => {
  const { store, told, once } = setUp();
  store.away = true;
  for (let n = 0; n < 3; n++) await once('a');
  t.deepEqual(told, ['a']);
});

test('of very many keys the oldest are forgotten', async (t) => {
  const { store, told, once } = setUp();
  store.away = true;
  for (let n = 0; n <= 10_000; n++) await once(`key-${n}`);
  await once('key-10000');
  t.is(told.length, 10_001);
  await once('key-0');
  t.is(told.length, 10_002);
});

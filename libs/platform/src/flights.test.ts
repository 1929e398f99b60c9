import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { createBoundedMap } from './bounded-map.ts';
import { createFlights } from './flights.ts';

test('callers of one key share a call, also its failure, and the next caller gets a new one', async (t) => {
  const flights = createFlights<number>();
  let calls = 0;
  const first = Promise.withResolvers<number>();
  const task = () => {
    calls += 1;
    return first.promise;
  };
  const both = [flights.run('a', task), flights.run('a', task)];
  first.reject(new Error('no'));
  for (const result of await Promise.allSettled(both)) t.is(result.status, 'rejected');
  t.is(calls, 1);
  t.is(await flights.run('a', () => Promise.resolve(2)), 2);
});

test('keys do not wait for each other, but too many are refused', async (t) => {
  const flights = createFlights<number>(2);
  const wait = Promise.withResolvers<number>();
  const running = [flights.run('a', () => wait.promise), flights.run('b', () => wait.promise)];
  const error = await t.throwsAsync(flights.run('c', () => Promise.resolve(1)));
  t.true(isRelayError(error, 'platform_unavailable'));
  wait.resolve(1);
  await Promise.all(running);
  t.is(await flights.run('c', () => Promise.resolve(3)), 3);
});

test('a full map drops what was not used for longest', (t) => {
  const map = createBoundedMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  t.is(map.get('a'), 1);
  map.set('c', 3);
  t.is(map.get('b'), undefined);
  t.is(map.get('a'), 1);
  t.is(map.size, 2);
  map.delete('a');
  t.is(map.size, 1);
});

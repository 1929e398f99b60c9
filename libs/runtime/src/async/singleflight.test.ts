import test from 'ava';
import { createSingleflight, shareFlight } from '../index.ts';

const full = (): Error => new Error('full');

test('callers of one key share a call, also its failure, and the next caller gets a new one', async (t) => {
  const singleflight = createSingleflight<number>(9, full);
  let calls = 0;
  const first = Promise.withResolvers<number>();
  const task = () => {
    calls += 1;
    return first.promise;
  };
  const both = [singleflight.run('a', task), singleflight.run('a', task)];
  const ended = singleflight.ended('a');
  first.reject(new Error('no'));
  for (const result of await Promise.allSettled(both)) t.is(result.status, 'rejected');
  await ended;
  t.is(calls, 1);
  t.is(await singleflight.run('a', () => Promise.resolve(2)), 2);
});

test('keys do not wait for each other, but too many are refused', async (t) => {
  const singleflight = createSingleflight<number>(2, full);
  const wait = Promise.withResolvers<number>();
  const running = [singleflight.run('a', () => wait.promise), singleflight.run('b', () => wait.promise)];
  await t.throwsAsync(
    singleflight.run('c', () => Promise.resolve(1)),
    { message: 'full' },
  );
  wait.resolve(1);
  await Promise.all(running);
  t.is(await singleflight.run('c', () => Promise.resolve(3)), 3);
});

test('calls that come during a call share it, and later ones make another', async (t) => {
  const calls: PromiseWithResolvers<string>[] = [];
  const given: number[] = [];
  const call = shareFlight((value: number) => {
    given.push(value);
    const flight = Promise.withResolvers<string>();
    calls.push(flight);
    return flight.promise;
  });
  const both = Promise.allSettled([call(1), call(2)]);
  calls[0]?.reject(new Error('no'));
  t.deepEqual(
    (await both).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const later = call(3);
  calls[1]?.resolve('yes');
  t.is(await later, 'yes');
  t.deepEqual(given, [1, 3]);
});

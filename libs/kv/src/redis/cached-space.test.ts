import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createReadCache } from './cached-space.ts';

test('a stored value and a stored absence are known, anything else is not', (t) => {
  const cache = createReadCache(manualClock());
  cache.asking('a')('one');
  cache.asking('b')(null);
  t.is(cache.get('a'), 'one');
  t.is(cache.get('b'), null);
  t.is(cache.get('c'), undefined);
});

test('an entry is forgotten when its TTL is over, counted from before it was asked for, and after a minute', async (t) => {
  const clock = manualClock();
  const cache = createReadCache(clock);
  const store = cache.asking('a');
  await clock.advance(400);
  store('one', 1_000);
  cache.asking('b')('two', 3_600_000);
  await clock.advance(599);
  t.is(cache.get('a'), 'one');
  await clock.advance(1);
  t.is(cache.get('a'), undefined);
  await clock.advance(59_400);
  t.is(cache.get('b'), undefined);
});

test('what changed while it was asked for is not stored', (t) => {
  const cache = createReadCache(manualClock());
  const [one, two] = [cache.asking('a'), cache.asking('b')];
  cache.forget('a');
  one('old');
  t.is(cache.get('a'), undefined);
  cache.forget(null);
  two('old');
  t.is(cache.get('b'), undefined);
});

test('of two that ask, the later one stores', (t) => {
  const cache = createReadCache(manualClock());
  const [one, two] = [cache.asking('a'), cache.asking('a')];
  two('new');
  one('old');
  t.is(cache.get('a'), 'new');
});

test('the cache is bounded: the entry read longest ago leaves, and long values never come in', (t) => {
  const cache = createReadCache(manualClock());
  for (let n = 0; n < 1_000; n++) cache.asking(`${n}`)('x');
  t.is(cache.get('0'), 'x');
  cache.asking('more')('x');
  t.is(cache.get('0'), 'x');
  t.is(cache.get('1'), undefined);
  cache.asking('long')('x'.repeat(65_537));
  t.is(cache.get('long'), undefined);
});

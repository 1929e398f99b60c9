import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import {
  dueForRenewal,
  freshEnough,
  type CacheEntry,
  cacheEntry,
  cacheStale,
  type Moment,
  servable,
  errorTtlMs,
  usable,
} from './config-cache.ts';
import { type EntryKind, freshMs, staleMs } from './config-entry.ts';

const start = Date.UTC(2026, 0, 1);
const at = (ms: number): Moment => ({ now: start + ms, monotonic: ms });
const value = { id: 'a' };
const kinds: EntryKind[] = ['integration', 'action', 'webhook'];

const cachedAt = (ms: number, ageMs = 0): CacheEntry => cacheEntry({ loadedAt: start + ms - ageMs, value }, at(ms));

test('an entry just loaded is used, and not renewed yet', (t) => {
  for (const kind of kinds) {
    t.true(usable(cachedAt(0), kind, at(0)));
    t.false(dueForRenewal(cachedAt(0), kind, at(0)));
  }
});

test('after two thirds of a minute it is used and renewed, after a minute it is not used', (t) => {
  for (const kind of kinds) {
    t.false(dueForRenewal(cachedAt(0), kind, at(39_000)));
    t.true(dueForRenewal(cachedAt(0), kind, at(40_000)));
    t.true(usable(cachedAt(0), kind, at(59_999)));
    t.false(usable(cachedAt(0), kind, at(60_000)));
  }
});

test('a webhook entry that was 30 s old in the store is used for 30 s more, others for a minute', (t) => {
  const cached = cachedAt(0, 30_000);
  t.true(usable(cached, 'webhook', at(29_999)));
  t.false(usable(cached, 'webhook', at(30_000)));
  t.true(usable(cached, 'integration', at(59_999)));
});

test('a renewal that was started is not started again at once', (t) => {
  const cached = cachedAt(0);
  cached.renewAt = 45_000 + errorTtlMs;
  t.false(dueForRenewal(cached, 'webhook', at(54_999)));
  t.true(dueForRenewal(cached, 'webhook', at(55_000)));
});

test('an old entry whose reload has failed is used for some seconds, without a renewal', (t) => {
  const cached = cacheStale({ loadedAt: start - 86_400_000, value }, at(0));
  t.true(usable(cached, 'webhook', at(errorTtlMs - 1)));
  t.false(dueForRenewal(cached, 'webhook', at(errorTtlMs - 1)));
  t.false(usable(cached, 'webhook', at(errorTtlMs)));
});

test('an entry of more than seven days is never used', (t) => {
  const old = { loadedAt: start - staleMs, value };
  t.false(servable(old, at(0)));
  t.true(servable(old, at(-1)));
  t.false(usable(cacheStale(old, at(0)), 'integration', at(1)));
});

test('a wall clock set back makes an entry stale at once; set forward as well', (t) => {
  for (const jump of [-3_600_000 * 24, 3_600_000 * 24])
    t.false(usable(cachedAt(0), 'integration', { now: start + jump, monotonic: 1 }));
});

const moments = fc.integer({ min: 0, max: 8 * 86_400_000 });
const anyKind = fc.constantFrom(...kinds);
const anyValue = fc.constantFrom(value, null);

testProp(
  'nothing is used for more than a minute of either clock’s freshness',
  [anyKind, anyValue, moments, moments],
  (t, kind, cached, age, later) => {
    const entry = { loadedAt: start - age, value: cached };
    if (usable(cacheEntry(entry, at(0)), kind, at(later)))
      t.true(later < 60_000 && age + later < freshMs(kind, cached));
    else t.true(later >= 60_000 || age + later >= freshMs(kind, cached));
  },
);

testProp(
  'a renewal takes from the store only what lives as long again',
  [anyKind, anyValue, moments],
  (t, kind, cached, age) => {
    const entry = { loadedAt: start - age, value: cached };
    t.is(freshEnough(entry, kind, at(0), false), age < freshMs(kind, cached));
    t.is(freshEnough(entry, kind, at(0), true), age * 2 < freshMs(kind, cached));
  },
);

testProp('whatever is used and unrenewed comes up for renewal before it ends', [anyKind, moments], (t, kind, age) => {
  const cached = cacheEntry({ loadedAt: start - age, value }, at(0));
  const last = Math.min(60_000, freshMs(kind, value) - age) - 1;
  fc.pre(last > 0);
  t.true(usable(cached, kind, at(last)));
  if (last > 100) t.true(dueForRenewal(cached, kind, at(last)));
});

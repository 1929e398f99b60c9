import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import {
  dueForRenewal,
  freshEnough,
  type Held,
  hold,
  holdStale,
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

const heldAt = (ms: number, ageMs = 0): Held => hold({ loadedAt: start + ms - ageMs, value }, at(ms));

test('an entry just loaded is used, and not renewed yet', (t) => {
  for (const kind of kinds) {
    t.true(usable(heldAt(0), kind, at(0)));
    t.false(dueForRenewal(heldAt(0), kind, at(0)));
  }
});

test('after two thirds of a minute it is used and renewed, after a minute it is not used', (t) => {
  for (const kind of kinds) {
    t.false(dueForRenewal(heldAt(0), kind, at(39_000)));
    t.true(dueForRenewal(heldAt(0), kind, at(40_000)));
    t.true(usable(heldAt(0), kind, at(59_999)));
    t.false(usable(heldAt(0), kind, at(60_000)));
  }
});

test('a webhook entry that was 30 s old in the store is used for 30 s more, others for a minute', (t) => {
  const held = heldAt(0, 30_000);
  t.true(usable(held, 'webhook', at(29_999)));
  t.false(usable(held, 'webhook', at(30_000)));
  t.true(usable(held, 'integration', at(59_999)));
});

test('a renewal that was started is not started again at once', (t) => {
  const held = heldAt(0);
  held.renewAt = 45_000 + errorTtlMs;
  t.false(dueForRenewal(held, 'webhook', at(54_999)));
  t.true(dueForRenewal(held, 'webhook', at(55_000)));
});

test('an old entry whose reload has failed is used for some seconds, without a renewal', (t) => {
  const held = holdStale({ loadedAt: start - 86_400_000, value }, at(0));
  t.true(usable(held, 'webhook', at(errorTtlMs - 1)));
  t.false(dueForRenewal(held, 'webhook', at(errorTtlMs - 1)));
  t.false(usable(held, 'webhook', at(errorTtlMs)));
});

test('an entry of more than seven days is never used', (t) => {
  const old = { loadedAt: start - staleMs, value };
  t.false(servable(old, at(0)));
  t.true(servable(old, at(-1)));
  t.false(usable(holdStale(old, at(0)), 'integration', at(1)));
});

test('a wall clock set back makes an entry stale at once; set forward as well', (t) => {
  for (const jump of [-3_600_000 * 24, 3_600_000 * 24])
    t.false(usable(heldAt(0), 'integration', { now: start + jump, monotonic: 1 }));
});

const moments = fc.integer({ min: 0, max: 8 * 86_400_000 });
const anyKind = fc.constantFrom(...kinds);
const anyValue = fc.constantFrom(value, null);

testProp(
  'nothing is used for more than a minute of either clock’s freshness',
  [anyKind, anyValue, moments, moments],
  (t, kind, held, age, later) => {
    const entry = { loadedAt: start - age, value: held };
    if (usable(hold(entry, at(0)), kind, at(later))) t.true(later < 60_000 && age + later < freshMs(kind, held));
    else t.true(later >= 60_000 || age + later >= freshMs(kind, held));
  },
);

testProp(
  'a renewal takes from the store only what lives as long again',
  [anyKind, anyValue, moments],
  (t, kind, held, age) => {
    const entry = { loadedAt: start - age, value: held };
    t.is(freshEnough(entry, kind, at(0), false), age < freshMs(kind, held));
    t.is(freshEnough(entry, kind, at(0), true), age * 2 < freshMs(kind, held));
  },
);

testProp('whatever is used and unrenewed comes up for renewal before it ends', [anyKind, moments], (t, kind, age) => {
  const held = hold({ loadedAt: start - age, value }, at(0));
  const last = Math.min(60_000, freshMs(kind, value) - age) - 1;
  fc.pre(last > 0);
  t.true(usable(held, kind, at(last)));
  if (last > 100) t.true(dueForRenewal(held, kind, at(last)));
});

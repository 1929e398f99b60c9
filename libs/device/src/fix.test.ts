import test from 'ava';
import { factsOf } from './codes.ts';
import { readFix } from './fix.ts';
import type { DevicePoint } from './payload.ts';

const point = (parts: Partial<DevicePoint>): DevicePoint => ({
  latitude: -1.5,
  longitude: 36.8,
  altitude: 0,
  gpsFix: 2,
  course: 0,
  speed: 0,
  ...parts,
});

const kindOf = (parts: Partial<DevicePoint>, code = 0): string => readFix(point(parts), factsOf(code)).kind;

test('a point with a fix is usable, unrounded', (t) => {
  t.deepEqual(readFix(point({ latitude: -1.286_120_000_1 }), factsOf(0)), {
    kind: 'usable',
    latitude: -1.286_120_000_1,
    longitude: 36.8,
    stale: false,
  });
});

test('no point is no fix', (t) => {
  t.is(readFix(null, factsOf(0)).kind, 'none');
});

for (const parts of [
  { latitude: null },
  { longitude: null },
  { latitude: 90.001 },
  { latitude: -90.001 },
  { longitude: 180.001 },
  { longitude: -180.001 },
])
  test(`${JSON.stringify(parts)} is no fix`, (t) => {
    t.is(kindOf(parts), 'none');
  });

for (const parts of [
  { latitude: 90, longitude: 180 },
  { latitude: -90, longitude: -180 },
])
  test(`${JSON.stringify(parts)} is at the bound and usable`, (t) => {
    t.is(kindOf(parts), 'usable');
  });

test('0,0 without a fix is the zero sentinel, with one it is a place', (t) => {
  const origin = { latitude: 0, longitude: 0 };
  t.is(kindOf({ ...origin, gpsFix: 0 }), 'zero');
  t.is(kindOf({ ...origin, gpsFix: null }), 'zero');
  t.is(kindOf({ ...origin, gpsFix: 'none' }), 'zero');
  t.is(kindOf({ ...origin, gpsFix: 1 }), 'usable');
  t.is(kindOf({ ...origin, gpsFix: 3 }), 'usable');
});

test('0,0 of codes 20 and 21 is no place whatever the fix says', (t) => {
  for (const code of [20, 21]) {
    t.is(kindOf({ latitude: 0, longitude: 0, gpsFix: 3 }, code), 'zero');
    t.is(kindOf({ gpsFix: 3 }, code), 'usable');
  }
});

test('a position without a fix that is not 0,0 is usable and stale', (t) => {
  t.like(readFix(point({ gpsFix: 0 }), factsOf(0)), { kind: 'usable', stale: true });
  t.like(readFix(point({ gpsFix: 0, latitude: 0 }), factsOf(0)), { kind: 'usable', stale: true });
  t.like(readFix(point({ gpsFix: null }), factsOf(0)), { kind: 'usable', stale: false });
});

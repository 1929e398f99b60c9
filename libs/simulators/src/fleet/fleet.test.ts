import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { seeded } from '../time/random.ts';
import type { DeviceEvent } from './device-event.ts';
import { createFleet, type FleetEvent, type FleetOptions } from './fleet.ts';

const start = Date.UTC(2026, 0, 1);
const fleetOf = (options: Partial<FleetOptions> & { seed?: number } = {}) =>
  createFleet({ devices: 5, start, random: seeded(options.seed ?? 1), ...options });

const good = (events: readonly FleetEvent[]): FleetEvent[] =>
  events.filter(({ bad, duplicate }) => bad === null && !duplicate);
const ids = (events: readonly FleetEvent[]): string[] => events.map(({ id }) => id).toSorted();
const payload = (event: FleetEvent): DeviceEvent => event.payload as DeviceEvent;

const options = fc.record({
  seed: fc.nat(),
  devices: fc.integer({ min: 1, max: 20 }),
  intervalMs: fc.integer({ min: 1, max: 600_000 }),
  duplicates: fc.constantFrom(0, 0.1, 0.5),
  disorder: fc.constantFrom(0, 0.1, 0.5),
  bad: fc.constantFrom(0, 0.1),
  sosCount: fc.nat(5),
});

testProp('the same seed gives the same fleet', [options], (t, given) => {
  t.deepEqual(fleetOf(given).take(200), fleetOf(given).take(200));
});

testProp(
  'every good event has an id of its own, and each of its times is its device’s alone',
  [options],
  (t, given) => {
    const fleet = fleetOf(given);
    const events = good([...fleet.take(300), ...fleet.rest()]);
    t.is(new Set(events.map(({ id }) => id)).size, events.length);
    t.true(events.every(({ id, imei, at }) => id === `${imei}:${at}` && fleet.imeis.includes(imei)));
  },
);

testProp('without disorder the times of a device grow', [options], (t, given) => {
  const last = new Map<string, number>();
  for (const { imei, at } of good(fleetOf({ ...given, disorder: 0 }).take(300))) {
    t.true(at > (last.get(imei) ?? 0));
    last.set(imei, at);
  }
});

testProp('nothing that was held back is lost', [options], (t, given) => {
  const fleet = fleetOf(given);
  const calm = fleetOf({ ...given, duplicates: 0, disorder: 0, bad: 0 });
  const end = start + given.intervalMs * 20;
  const events = good([...fleet.until(end), ...fleet.rest()]);
  t.deepEqual(ids(events), ids(good(calm.until(end))));
});

testProp(
  'what the fleet sends is plausible: on the globe, near the park, never at a sentinel',
  [options],
  (t, given) => {
    for (const event of good(fleetOf(given).take(200))) {
      const { point, imei } = payload(event);
      t.regex(String(imei), /^300434\d{9}$/);
      if (point?.gpsFix === 0) t.deepEqual([point.latitude, point.longitude, point.altitude], [0, 0, -422]);
      else {
        t.true(Math.abs((point?.latitude ?? 0) + 1.3) < 1 && Math.abs((point?.longitude ?? 0) - 36.8) < 1);
        t.true((point?.speed ?? -1) >= 0 && (point?.speed ?? 99) < 60);
        t.true((point?.course ?? -1) >= 0 && (point?.course ?? 999) <= 360);
      }
    }
  },
);

test('duplicates, disorder and bad events come about as often as asked', (t) => {
  const fleet = fleetOf({ devices: 20, duplicates: 0.2, disorder: 0.1, bad: 0.1 });
  const events = fleet.take(10_000);
  const share = (holds: (event: FleetEvent) => boolean): number => events.filter(holds).length / events.length;
  t.true(Math.abs(share(({ duplicate }) => duplicate) - 0.2 / 1.3) < 0.03);
  t.true(Math.abs(share(({ bad }) => bad !== null) - 0.1 / 1.3) < 0.02);
  const newest = new Map<string, number>();
  let late = 0;
  for (const { imei, at } of good(events)) {
    if (at < (newest.get(imei) ?? 0)) late += 1;
    newest.set(imei, Math.max(at, newest.get(imei) ?? 0));
  }
  t.true(late > 300 && late < 1_200);
});

test('a duplicate is the very same event, later', (t) => {
  const events = fleetOf({ duplicates: 0.3 }).take(500);
  const firsts = new Map(good(events).map((event) => [event.id, event.payload]));
  const repeats = events.filter(({ duplicate }) => duplicate);
  t.true(repeats.length > 50);
  for (const repeat of repeats) t.deepEqual(repeat.payload, firsts.get(repeat.id));
});

test('an SOS is declared, confirmed and cancelled in that order, once a sequence', (t) => {
  const events = fleetOf({ devices: 3, sosCount: 2 }).take(120);
  const sos = events.filter(({ messageCode }) => [4, 6, 7].includes(messageCode));
  const byDevice = Map.groupBy(sos, ({ imei }) => imei);
  t.is(byDevice.size, 2);
  for (const sequence of byDevice.values())
    t.deepEqual(
      sequence.map(({ messageCode }) => messageCode),
      [4, 6, 7],
    );
});

test('a track begins with its start; texts, check-ins, blind positions and low batteries happen', (t) => {
  const events = fleetOf({ devices: 4 }).take(8_000);
  t.true(events.slice(0, 4).every(({ messageCode }) => messageCode === 10));
  const codes = new Set(events.map(({ messageCode }) => messageCode));
  t.deepEqual(
    [...codes].toSorted((a, b) => a - b),
    [0, 3, 9, 10],
  );
  const texts = events.filter(({ messageCode }) => messageCode === 3);
  t.true(texts.every((event) => (payload(event).freeText ?? '').length > 0));
  t.true(events.some((event) => payload(event).status?.lowBattery === 1));
  t.true(events.some((event) => payload(event).point?.gpsFix === 0));
});

test('a ranger gets from place to place at the speed it says', (t) => {
  const events = fleetOf({ devices: 1, intervalMs: 60_000, habits: { noFix: 0 } })
    .take(500)
    .map(payload);
  let compared = 0;
  for (const [index, { point }] of events.entries()) {
    const before = events[index - 1]?.point;
    if (!before) continue;
    const north = ((point?.latitude ?? 0) - (before.latitude ?? 0)) * 111.2;
    const east = ((point?.longitude ?? 0) - (before.longitude ?? 0)) * 111.2;
    t.true(Math.abs(Math.hypot(north, east) * 60 - (point?.speed ?? 0)) < 0.3);
    compared += 1;
  }
  t.is(compared, 499);
});

test('until gives what is due and nothing of the future', (t) => {
  const fleet = fleetOf({ devices: 6, intervalMs: 60_000 });
  t.deepEqual(fleet.until(start - 1), []);
  t.is(fleet.until(start + 59_999).length, 6);
  t.is(fleet.until(start + 59_999).length, 0);
  t.is(fleet.until(start + 60_000).length, 1);
});

test('fleets with other first devices do not mix', (t) => {
  const one = fleetOf({ devices: 10 }).imeis;
  const two = fleetOf({ devices: 10, firstDevice: 10 }).imeis;
  t.is(new Set([...one, ...two]).size, 20);
});

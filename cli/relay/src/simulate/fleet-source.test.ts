import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { fleetLanes, shareOf, type TrafficOptions } from './fleet-source.ts';
import type { Load } from './lane.ts';

const start = Date.UTC(2026, 0, 1);
const options: TrafficOptions = {
  devices: 10,
  rate: 20,
  batch: 5,
  duplicates: 0,
  disorder: 0,
  bad: 0,
  sos: 0,
  seed: 7,
};

interface Event {
  readonly imei: string;
  readonly timeStamp: number;
}

const eventsOf = ({ body }: Load): Event[] => (JSON.parse(body) as { Events: Event[] }).Events;

const posts = (more: Partial<TrafficOptions>, lanes: number, count: number): Load[][] =>
  fleetLanes({ ...options, ...more }, lanes, start).map(({ source }) =>
    Array.from({ length: count }, () => source.next()).concat(source.rest()),
  );

test('every POST holds as many events as asked for', (t) => {
  for (const load of posts({}, 2, 10).flat()) {
    t.is(load.events, 5);
    t.is(eventsOf(load).length, 5);
  }
});

const bodiesOf = (seed: number) =>
  posts({ seed }, 3, 20)
    .flat()
    .map(({ body }) => body);

test('the same seed gives the same traffic, another another', (t) => {
  t.deepEqual(bodiesOf(7), bodiesOf(7));
  t.notDeepEqual(bodiesOf(7), bodiesOf(8));
});

test('no device is in two lanes, and all are in one', (t) => {
  const lanes = posts({}, 3, 40).map((loads) => new Set(loads.flatMap(eventsOf).map(({ imei }) => imei)));
  t.is(
    lanes.reduce((sum, { size }) => sum + size, 0),
    options.devices,
  );
  t.is(new Set(lanes.flatMap((lane) => Array.from(lane))).size, options.devices);
});

test('times of a device grow and pass as real time does at the rate asked for', (t) => {
  const [loads = []] = posts({ devices: 4, rate: 2 }, 1, 20);
  const times = loads
    .flatMap(eventsOf)
    .filter(({ imei }, _, [first]) => imei === first?.imei)
    .map(({ timeStamp }) => timeStamp);
  t.true(times.length > 10);
  t.is(times[0], start);
  for (const [index, time] of times.entries()) t.is(time, start + index * 2_000);
});

test('without disorder, duplicates and bad events there are none', (t) => {
  const loads = posts({}, 2, 50).flat();
  t.true(loads.every(({ duplicates, bad, sos }) => duplicates + bad + sos === 0));
});

test('duplicates, bad events and SOS calls are made and counted', (t) => {
  const loads = posts({ duplicates: 0.2, bad: 0.1, sos: 3, disorder: 0.1 }, 2, 100).flat();
  const sum = (name: 'duplicates' | 'bad' | 'sos') => loads.reduce((total, load) => total + load[name], 0);
  t.is(sum('sos'), 3);
  t.true(sum('duplicates') > 50 && sum('bad') > 30);
});

test('nothing that was held back is lost: each duplicate has its first', (t) => {
  const events = posts({ duplicates: 0.3 }, 1, 30).flat().flatMap(eventsOf);
  const seen = new Map<string, number>();
  for (const { imei, timeStamp } of events)
    seen.set(`${imei} ${timeStamp}`, (seen.get(`${imei} ${timeStamp}`) ?? 0) + 1);
  t.true([...seen.values()].every((times) => times <= 2));
  t.true([...seen.values()].some((times) => times === 2));
});

test('the lanes share the rate by their devices', (t) => {
  const lanes = fleetLanes(options, 3, start);
  t.is(Math.round(lanes.reduce((sum, { rate }) => sum + rate, 0)), 20);
});

testProp(
  'shares are whole, even to one, and sum up',
  [fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 100 })],
  (t, total, parts) => {
    const shares = Array.from({ length: parts }, (_, index) => shareOf(total, index, parts));
    t.is(
      shares.reduce((sum, share) => sum + share, 0),
      total,
    );
    t.true(Math.max(...shares) - Math.min(...shares) <= 1);
  },
);

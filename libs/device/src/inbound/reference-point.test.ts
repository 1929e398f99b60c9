import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { readReferencePoint } from './reference-point.ts';

const camp = { Latitude: -1.28, Longitude: 36.81 };
const nothingElse = { LocationType: 0, Altitude: 0, Speed: 0, Course: 0 };

for (const value of [
  undefined,
  null,
  '',
  'camp',
  [],
  {},
  { Altitude: 1200 },
  { Coordinate: null },
  { Coordinate: 'camp' },
  { Coordinate: { Latitude: -1.28 } },
  { Coordinate: { Latitude: null, Longitude: 36.81 } },
  { Coordinate: { Latitude: 'abc', Longitude: '36.81' } },
  { Coordinate: { Latitude: '', Longitude: '' } },
  { Coordinate: { Latitude: 90.1, Longitude: 36.81 } },
  { Coordinate: { Latitude: -1.28, Longitude: 360.1 } },
])
  test(`no place is made up of ${JSON.stringify(value) ?? 'nothing'}`, (t) => {
    t.is(readReferencePoint(value), undefined);
  });

test('a place goes along, what it lacks is 0 and its label stays away', (t) => {
  const point = { Altitude: '12', Speed: null, Label: 'camp', Coordinate: camp };
  t.deepEqual(readReferencePoint(point), { ...nothingElse, Altitude: 12, Coordinate: camp });
});

test('texts of numbers are numbers', (t) => {
  const point = { LocationType: '1', Course: '337.5', Coordinate: { Latitude: '-1.28', Longitude: ' 36.81 ' } };
  t.deepEqual(readReferencePoint(point), { ...nothingElse, LocationType: 1, Course: 337.5, Coordinate: camp });
});

for (const [given, sent] of [
  [180, 180],
  [-180, -180],
  [190, -170],
  [-190, 170],
  [360, 0],
  [323.5, -36.5],
] as const)
  test(`the longitude ${given} is ${sent}`, (t) => {
    t.is(readReferencePoint({ Coordinate: { Latitude: 1, Longitude: given } })?.Coordinate.Longitude, sent);
  });

test('what the vendor refuses of the rest does not cost the text its place', (t) => {
  const point = { LocationType: 2, Altitude: 18_001, Speed: -1, Course: 361, Coordinate: camp };
  t.deepEqual(readReferencePoint(point), { ...nothingElse, Coordinate: camp });
});

const member = fc.oneof(fc.double(), fc.double().map(String), fc.integer({ min: -400, max: 400 }), fc.anything());
const inside = (value: number, low: number, high: number): boolean => value >= low && value <= high;

testProp(
  'a place is one that somebody named, in the ranges of the vendor',
  [
    fc.record({
      LocationType: member,
      Altitude: member,
      Speed: member,
      Course: member,
      Coordinate: fc.record({ Latitude: member, Longitude: member }),
    }),
  ],
  (t, given) => {
    const place = readReferencePoint(given);
    if (!place) return t.pass();
    const { Latitude, Longitude } = place.Coordinate;
    t.is(Latitude, Number(given.Coordinate.Latitude));
    const turns = (Number(given.Coordinate.Longitude) - Longitude) / 360;
    t.true([0, 1, -1].some((turn) => Math.abs(turns - turn) < 1e-9));
    t.true(inside(Latitude, -90, 90) && inside(Longitude, -180, 180));
    t.true([0, 1].includes(place.LocationType) && inside(place.Course, -360, 360));
    t.true(inside(place.Altitude, -1_000, 18_000) && inside(place.Speed, 0, 1_854));
  },
);

import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { checkMessage } from './check-message.ts';

const now = Date.UTC(2026, 0, 1);
const imei = '300434030000000';
const known = (candidate: string): boolean => candidate === imei;

const good = (change: Readonly<Record<string, unknown>> = {}) => ({
  Recipients: [imei],
  Sender: 'ops@site.example',
  Timestamp: `/Date(${now - 1_000})/`,
  Message: 'Return to camp',
  ...change,
});

const place = (change: Readonly<Record<string, unknown>>) =>
  good({
    ReferencePoint: {
      LocationType: 0,
      Altitude: 0,
      Speed: 0,
      Course: 0,
      Coordinate: { Latitude: 0, Longitude: 0 },
      ...change,
    },
  });

const codeOf = (raw: unknown): number | undefined => {
  const checked = checkMessage(raw, known, now);
  return 'refusal' in checked ? checked.refusal.code : undefined;
};

const accepted: readonly (readonly [string, unknown])[] = [
  ['a plain text', good()],
  ['a recipient as a number', good({ Recipients: [Number(imei)] })],
  ['a sender of digits', good({ Sender: '254700000000' })],
  ['160 characters, whatever their bytes', good({ Message: '🦒'.repeat(160) })],
  ['the time of now', good({ Timestamp: `/Date(${now})/` })],
  ['the first moment of 2011', good({ Timestamp: `/Date(${Date.UTC(2011, 0, 1)})/` })],
  ['a place with numbers left out', good({ ReferencePoint: {} })],
  ['a place', place({ Coordinate: { Latitude: -1.28, Longitude: 36.81 } })],
];
for (const [what, raw] of accepted)
  test(`is accepted: ${what}`, (t) => {
    t.is(codeOf(raw), undefined);
  });

const refused: readonly (readonly [code: number, what: string, raw: unknown])[] = [
  [4, 'an unknown device', good({ Recipients: ['300434030000009'] })],
  [4, 'a known and an unknown device', good({ Recipients: [imei, '300434030000009'] })],
  [4, 'no recipients', good({ Recipients: [] })],
  [4, 'a recipient with letters', good({ Recipients: ['ranger'] })],
  [4, 'no object at all', 'text'],
  [5, 'an empty text', good({ Message: '' })],
  [5, 'no text', good({ Message: undefined })],
  [5, '161 characters', good({ Message: 'x'.repeat(161) })],
  [5, 'a label that makes it too long', { ...place({ Label: 'here' }), Message: 'x'.repeat(157) }],
  [6, 'an ISO time', good({ Timestamp: '2025-12-31T00:00:00Z' })],
  [6, 'a number as time', good({ Timestamp: now - 1 })],
  [6, 'the future', good({ Timestamp: `/Date(${now + 1})/` })],
  [6, 'before 2011', good({ Timestamp: `/Date(${Date.UTC(2011, 0, 1) - 1})/` })],
  [7, 'a sender that is neither', good({ Sender: 'Ops' })],
  [7, 'a number with its sign', good({ Sender: '+254700000000' })],
  [7, 'a name with an address', good({ Sender: 'Ops <ops@site.example>' })],
  [7, 'no sender', good({ Sender: undefined })],
  [8, 'an altitude too high', place({ Altitude: 18_001 })],
  [9, 'a negative speed', place({ Speed: -1 })],
  [10, 'a course beyond the circle', place({ Course: 361 })],
  [11, 'a latitude off the globe', place({ Coordinate: { Latitude: 91, Longitude: 0 } })],
  [11, 'coordinates as texts', place({ Coordinate: { Latitude: '1', Longitude: 0 } })],
  [11, 'a place that is no object', good({ ReferencePoint: 'camp' })],
  [13, 'a location type of 2', place({ LocationType: 2 })],
  [14, 'a label that is no text', place({ Label: 5 })],
];
for (const [code, what, raw] of refused)
  test(`code ${code}: ${what}`, (t) => {
    t.is(codeOf(raw), code);
  });

test('a refusal for unknown devices names only those', (t) => {
  const checked = checkMessage(good({ Recipients: [imei, '9'] }), known, now);
  t.deepEqual('refusal' in checked ? checked.refusal.imeis : [], ['9']);
});

testProp('whatever comes gets a verdict', [fc.anything()], (t, raw) => {
  t.truthy(codeOf(raw));
});

testProp(
  'texts pass exactly with 1 to 160 code points',
  [
    fc.string({
      unit: fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code).toWellFormed()),
      maxLength: 200,
      size: 'max',
    }),
  ],
  (t, Message) => {
    const length = [...Message].length;
    t.is(codeOf(good({ Message })), length >= 1 && length <= 160 ? undefined : 5);
  },
);

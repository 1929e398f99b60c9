import { createHash } from 'node:crypto';
import test from 'ava';
import { factsOf } from './message-codes.ts';
import { readFix } from './map-event.ts';
import type { DevicePoint } from './payload.ts';
import { eventBytesLimit } from './settings.ts';
import { map, mapEvent, noFixPoint, now, receipt, recordOf, sentAt, wire, type Wire } from './test/events.ts';

const point = (parts: Partial<DevicePoint>): DevicePoint => ({
  latitude: -1.5,
  longitude: 36.8,
  unreadable: false,
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

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const all = { message_codes: [0, 3, 66], include_no_fix: true };
const id = (parts: Record<string, unknown>): string => recordOf(wire(parts), all).event_id;

test('the id is the documented digest', (t) => {
  const parts = [
    '11111111-1111-4111-8111-111111111111',
    '300434030000000',
    String(sentAt),
    3,
    -1.28612,
    36.81722,
    sha('Back at noon'),
  ];
  t.is(id({ messageCode: 3, freeText: 'Back at noon' }), sha(JSON.stringify(parts)));
});

test('the id is the same in every form of the same values', (t) => {
  const plain = id({});
  for (const parts of [
    { imei: 300434030000000 },
    { messageCode: '0' },
    { timeStamp: String(sentAt) },
    { point: { latitude: '-1.28612', longitude: ' 36.81722 ' } },
    { freeText: '' },
    { freeText: undefined, payload: undefined, addresses: null },
    { status: null, transportMode: 'Internet', somethingNew: { a: 1 } },
  ])
    t.is(id(parts), plain, JSON.stringify(parts));
});

test('each part that tells events apart changes the id', (t) => {
  const point = { latitude: -1.28612, longitude: 36.81722, gpsFix: 2 };
  const ids = [
    id({}),
    id({ imei: '300434030000001' }),
    id({ messageCode: 3 }),
    id({ timeStamp: sentAt + 1 }),
    id({ freeText: 'a' }),
    id({ payload: 'aGVsbG8=' }),
    id({ point: { ...point, latitude: -1.286_12 - 1e-9 } }),
    id({ point: { ...point, longitude: 36.8 } }),
    id({ point: { ...point, latitude: 0, longitude: 0, gpsFix: 0 } }),
    id({ mediaId: 'a' }),
    id({ mediaId: 'b' }),
    id({ mediaId: `${'b'.repeat(300)}1` }),
    id({ mediaId: `${'b'.repeat(300)}2` }),
  ];
  t.is(new Set(ids).size, ids.length);
});

test('the integration is part of the id', (t) => {
  const other = mapEvent(wire(), receipt({}, { integrationId: '22222222-2222-4222-8222-222222222222' }));
  t.true(other.kind === 'mapped' && other.record.event_id !== id({}));
});

const idWithoutTime = (receivedAt: number): string => {
  const mapped = mapEvent(wire({ messageCode: 3, timeStamp: undefined }), receipt({}, { receivedAt }));
  return mapped.kind === 'mapped' ? mapped.record.event_id : '';
};

test('without a time the UTC date of receipt stands in, so a repetition of the day is the same event', (t) => {
  t.is(idWithoutTime(now), idWithoutTime(now + 3_600_000));
  t.not(idWithoutTime(now), idWithoutTime(now + 86_400_000));
  t.is(id({ messageCode: 3, timeStamp: null }), idWithoutTime(now));
});

test('an event without media has the id that it always had, whatever stands in the place of its media id', (t) => {
  for (const mediaId of [null, undefined, '', {}]) t.is(id({ mediaId }), id({}), JSON.stringify(mediaId));
});

const halfHour = 1_800_000;

for (const messageCode of [4, 6, 7])
  for (const timeStamp of [undefined, null, '', 0, 'noon', -62_135_596_800_000, 4_102_444_800_000])
    test(`SOS code ${messageCode} at the unusable time ${JSON.stringify(timeStamp)} is one for half an hour of receipts`, (t) => {
      const received = (receivedAt: number): string => {
        const mapped = mapEvent(wire({ messageCode, timeStamp }), receipt({}, { receivedAt }));
        return mapped.kind === 'mapped' ? mapped.record.event_id : t.fail();
      };
      const slot = now - (now % halfHour);
      t.is(received(slot), received(slot + halfHour - 1));
      t.not(received(slot), received(slot + halfHour));
      t.not(received(slot), received(slot + 3 * 86_400_000));
    });

test('an SOS with a usable time is the same whenever it is received', (t) => {
  const received = (receivedAt: number): string => {
    const mapped = mapEvent(wire({ messageCode: 4 }), receipt({}, { receivedAt }));
    return mapped.kind === 'mapped' ? mapped.record.event_id : t.fail();
  };
  t.is(received(now), received(now + 5 * 86_400_000));
});

test('a lone surrogate in a text makes an id', (t) => {
  t.regex(id({ messageCode: 3, freeText: '\ud800' }), /^[0-9a-f]{64}$/);
});

/** `o` observation, `m` message, then the reason when something is left out or refused. */
const outcome = (event: unknown, settings: Wire = {}): string => {
  const mapped = map(event, settings);
  if (mapped.kind === 'counted') return mapped.as;
  if (mapped.kind === 'rejected') return `rejected ${mapped.code}`;
  const { observation, message } = mapped.record;
  return `${observation ? 'o' : ''}${message ? 'm' : ''}${mapped.skip ? ` ${mapped.skip}` : ''}`;
};

const binary = { point: undefined, status: { lowBattery: 0 }, payload: 'aGVsbG8=', messageCode: 66 };

const rows: readonly (readonly [string, unknown, Wire, string])[] = [
  ['a plain position', wire(), {}, 'o'],
  ['a text with a position', wire({ messageCode: 3, freeText: 'a' }), {}, 'om'],
  ['a text without messages wanted', wire({ messageCode: 3 }), { include_messages: false }, 'o'],
  ['a text without observations wanted', wire({ messageCode: 3 }), { include_observations: false }, 'm'],
  ['a position without observations wanted', wire(), { include_observations: false }, 'not_wanted'],
  ['a canned message by default', wire({ messageCode: 3099, freeText: 'a' }), {}, 'o'],
  ['a canned message when its code is listed', wire({ messageCode: 3099 }), { message_codes: [3099] }, 'om'],
  ['a text when only other codes are listed', wire({ messageCode: 3 }), { message_codes: [] }, 'o'],
  ['an unknown code', wire({ messageCode: 4711 }), {}, 'o'],
  ['a reference point', wire({ messageCode: 8 }), {}, 'o'],
  ['code 1 without a fix', wire({ messageCode: 1, point: noFixPoint }), {}, 'skipped_no_fix'],
  ['a pingback response of odd shape', wire({ messageCode: 65, point: [], status: 'x' }), {}, 'skipped_no_fix'],
  [
    'a mail check at 0,0 with a fix',
    wire({ messageCode: 20, point: { ...noFixPoint, gpsFix: 3 } }),
    {},
    'skipped_no_fix',
  ],
  ['a binary event with a time', wire(binary), {}, 'skipped_no_fix'],
  ['a binary event without a time', wire({ ...binary, timeStamp: undefined }), {}, 'skipped_no_fix'],
  ['a position without a time', wire({ timeStamp: null }), {}, 'skipped_no_time'],
  ['a text without a time', wire({ messageCode: 3, timeStamp: null }), {}, 'm skipped_no_time'],
  ['a text without a fix', wire({ messageCode: 3, point: noFixPoint }), {}, 'm skipped_no_fix'],
  ['0,0 without a fix', wire({ point: noFixPoint }), {}, 'skipped_no_fix'],
  ['0,0 when positions without a fix are wanted', wire({ point: noFixPoint }), { include_no_fix: true }, 'o'],
  [
    '0,0 without a time when wanted',
    wire({ point: noFixPoint, timeStamp: null }),
    { include_no_fix: true },
    'skipped_no_time',
  ],
  [
    'no point when positions without a fix are wanted',
    wire({ point: null }),
    { include_no_fix: true },
    'skipped_no_fix',
  ],
  [
    'a point out of range when wanted',
    wire({ point: { latitude: 91, longitude: 0 } }),
    { include_no_fix: true },
    'skipped_no_fix',
  ],
  ['a position in texts of numbers', wire({ point: { latitude: '1.5', longitude: '2', gpsFix: '3' } }), {}, 'o'],
  ['a latitude that is no number', wire({ point: { latitude: 'abc', longitude: 2 } }), {}, 'rejected bad_number'],
  ['an empty longitude', wire({ point: { latitude: 1, longitude: '' } }), {}, 'rejected bad_number'],
  ['a text at a place that is no number', wire({ messageCode: 3, point: 'here' }), {}, 'rejected bad_number'],
  [
    'a binary event whose place is no number',
    wire({ ...binary, point: { latitude: 'abc', longitude: 2 } }),
    {},
    'skipped_no_fix',
  ],
  ['coordinates that are not finite', wire({ point: { latitude: Infinity, longitude: 2 } }), {}, 'skipped_no_fix'],
  ['no latitude', wire({ point: { latitude: null, longitude: 2 } }), {}, 'skipped_no_fix'],
  ['a stale position', wire({ point: { latitude: 1, longitude: 2, gpsFix: 0 } }), {}, 'o'],
  ['the heartbeat sender', wire({ imei: '300234010961140', messageCode: 3, freeText: 'x' }), {}, 'test_events'],
  ['a year 1 time', wire({ timeStamp: -62_135_596_800_000, messageCode: 3 }), {}, 'test_events'],
  ['a year 1 time as text', wire({ timeStamp: '0001-01-01T00:00:00' }), {}, 'test_events'],
  ['a time before 2011', wire({ timeStamp: 1_000_000_000_000 }), {}, 'rejected bad_time'],
  ['a time two days ahead', wire({ timeStamp: now + 2 * 86_400_000 }), {}, 'rejected bad_time'],
  ['an unreadable time', wire({ timeStamp: 'noon', messageCode: 3 }), {}, 'rejected bad_time'],
  ['no object', 'text', {}, 'rejected not_an_object'],
  ['no imei', wire({ imei: null }), {}, 'rejected missing_imei'],
  ['no code', wire({ messageCode: null }), {}, 'rejected missing_message_code'],
  [
    'all members null',
    wire(
      Object.fromEntries(
        Object.keys(wire())
          .slice(2)
          .map((key) => [key, null]),
      ),
    ),
    {},
    'skipped_no_fix',
  ],
  ['identity alone', { imei: '1', messageCode: 0 }, {}, 'skipped_no_fix'],
];

for (const [name, event, settings, expected] of rows)
  test(`${name}: ${expected}`, (t) => {
    t.is(outcome(event, settings), expected);
  });

test('a message without a time takes the receive time', (t) => {
  t.is(recordOf(wire({ messageCode: 3, timeStamp: null })).message?.recorded_at, '2024-04-23T13:00:00Z');
});

test('a message without a usable fix has no location', (t) => {
  for (const point of [null, noFixPoint, { latitude: 95, longitude: 0, gpsFix: 3 }])
    t.is(recordOf(wire({ messageCode: 3, point })).message?.location, undefined);
});

test('the 0,0 observation stands at 0,0', (t) => {
  const { observation } = recordOf(wire({ point: noFixPoint }), { include_no_fix: true });
  t.deepEqual(observation?.location, { lat: 0, lon: 0 });
});

test('an event over the limit is rejected, its media do not count', (t) => {
  const bodyBytes = 2_000_000;
  const long = 'x'.repeat(eventBytesLimit);
  t.deepEqual(mapEvent(wire({ freeText: long }), receipt({}, { bodyBytes })), {
    kind: 'rejected',
    code: 'event_too_large',
  });
  t.deepEqual(mapEvent(wire({ other: ['ä'.repeat(eventBytesLimit / 2)] }), receipt({}, { bodyBytes })), {
    kind: 'rejected',
    code: 'event_too_large',
  });
  t.is(mapEvent(wire({ mediaBytes: long }), receipt({}, { bodyBytes })).kind, 'mapped');
  t.is(mapEvent(wire({ freeText: long.slice(2_000) }), receipt({}, { bodyBytes })).kind, 'mapped');
});

test('the largest event makes a record that fits the topic', (t) => {
  const filler = { freeText: 'x'.repeat(100_000), transcription: '\u0001'.repeat(20_000) };
  const event = wire({
    ...filler,
    messageCode: 3,
    imei: Array.from({ length: 2_000 }, () => '300434030000000').join(','),
  });
  const mapped = mapEvent(event, receipt({}, { bodyBytes: 300_000 }));
  t.is(mapped.kind, 'mapped');
  t.true(mapped.kind === 'mapped' && Buffer.byteLength(JSON.stringify(mapped.record)) < 900_000);
  t.is(sentAt, wire()['timeStamp'] as number);
});

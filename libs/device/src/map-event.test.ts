import test from 'ava';
import { eventBytesLimit } from './size.ts';
import { type Wire, map, mapEvent, noFixPoint, now, receipt, recordOf, sentAt, wire } from './test/events.ts';

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

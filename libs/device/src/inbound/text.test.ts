import { fc, testProp } from '@fast-check/ava';
import { cleanText, isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { isRecipient, messageBody, readText, recipientInvalid } from './text.ts';

const now = Date.UTC(2026, 0, 1);
const payload = (change: Readonly<Record<string, unknown>> = {}) => ({
  Message: 'Return to camp',
  Recipients: ['300434030000000'],
  Sender: 'ops@site.org',
  Timestamp: '2025-06-04 13:35:10+03:00',
  ...change,
});

const problemOf = (change: Readonly<Record<string, unknown>>): unknown => {
  const read = readText(payload(change), now);
  return read instanceof RelayError ? `${read.details['field']} ${read.details['problem']}` : undefined;
};

test('a transformed message is a text', (t) => {
  t.deepEqual(readText(payload(), now), {
    text: 'Return to camp',
    sender: 'ops@site.org',
    timestamp: Date.UTC(2025, 5, 4, 10, 35, 10),
  });
});

const accepted: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['one character', { Message: 'x' }],
  ['160 characters', { Message: 'x'.repeat(160) }],
  ['160 characters of two units each', { Message: '🦒'.repeat(160) }],
  ['a blank', { Message: ' ' }],
  ['a sender like a phone number', { Sender: '+254700000000' }],
  ['a sender as a number', { Sender: 254_700_000_000 }],
  ['a sender with blanks around it', { Sender: ' ops@site.org ' }],
  ['no time', { Timestamp: undefined }],
];
for (const [what, change] of accepted)
  test(`is taken: ${what}`, (t) => {
    t.is(problemOf(change), undefined);
  });

const refused: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ['no text', { Message: undefined }, 'Message is missing'],
  ['null as text', { Message: null }, 'Message is missing'],
  ['an empty text', { Message: '' }, 'Message is empty'],
  ['161 characters', { Message: 'x'.repeat(161) }, 'Message has 161 characters, at most 160 are taken'],
  ['161 characters of two units', { Message: '🦒'.repeat(161) }, 'Message has 322 characters, at most 160 are taken'],
  ['a sender of letters', { Sender: 'Ops' }, 'Sender is neither an e-mail address nor a number'],
  ['no sender', { Sender: undefined }, 'Sender is neither an e-mail address nor a number'],
  ['a sender that is an object', { Sender: {} }, 'Sender is neither an e-mail address nor a number'],
  [
    'a sender that cannot become a text',
    { Sender: { toString: 0 } },
    'Sender is neither an e-mail address nor a number',
  ],
  ['a time that is none', { Timestamp: 'soon' }, 'Timestamp is neither /Date(ms)/ nor ISO 8601'],
  ['a time before 2011', { Timestamp: '/Date(0)/' }, 'Timestamp is before 2011'],
];
for (const [what, change, problem] of refused)
  test(`is refused before any call: ${what}`, (t) => {
    t.is(problemOf(change), problem);
  });

test('a payload that is no object has no text', (t) => {
  for (const value of [null, undefined, 'text', 5, [payload()]])
    t.true(isRelayError(readText(value, now), 'text_invalid'));
});

test('recipients are digits', (t) => {
  for (const good of ['300434030000000', '1']) t.true(isRecipient(good));
  for (const bad of ['', '+300434030000000', 'ranger', '3004 34', '1'.repeat(33), '٣']) t.false(isRecipient(bad), bad);
  t.true(isRelayError(recipientInvalid(), 'text_invalid'));
});

test('a place goes along with missing numbers as 0, without its label', (t) => {
  const read = readText(
    payload({ ReferencePoint: { Altitude: '12', Label: 'camp', Coordinate: { Latitude: -1.28 } } }),
    now,
  );
  t.deepEqual('referencePoint' in read ? read.referencePoint : undefined, {
    LocationType: 0,
    Altitude: 12,
    Speed: 0,
    Course: 0,
    Coordinate: { Latitude: -1.28, Longitude: 0 },
  });
});

test('no place is sent when the platform gave none', (t) => {
  for (const ReferencePoint of [undefined, null, '', 'camp', []]) {
    const read = readText(payload({ ReferencePoint }), now);
    t.false('referencePoint' in read);
    t.false(!(read instanceof RelayError) && JSON.stringify(messageBody(read, '1')).includes('ReferencePoint'));
  }
});

test('the body is the one of the contract, for one device', (t) => {
  const point = { Coordinate: { Latitude: -1.28, Longitude: 36.81 } };
  const read = readText(payload({ Timestamp: '/Date(1749033310000)/', ReferencePoint: point }), now);
  if (read instanceof RelayError) return t.fail(read.message);
  t.deepEqual(messageBody(read, '300434030000000'), {
    Messages: [
      {
        Recipients: ['300434030000000'],
        Sender: 'ops@site.org',
        Timestamp: '/Date(1749033310000)/',
        Message: 'Return to camp',
        ReferencePoint: { LocationType: 0, Altitude: 0, Speed: 0, Course: 0, ...point },
      },
    ],
  });
});

testProp(
  'texts pass exactly with 1 to 160 code points once they are clean, otherwise unchanged',
  [fc.string({ unit: 'binary', maxLength: 200, size: 'max' })],
  (t, Message) => {
    const clean = cleanText(Message);
    const length = [...clean].length;
    const read = readText(payload({ Message }), now);
    if (length < 1 || length > 160) return t.true(read instanceof RelayError);
    t.is('text' in read ? read.text : undefined, clean);
  },
);

testProp(
  'a refusal never repeats a value',
  [fc.record({ Message: fc.anything(), Sender: fc.anything() })],
  (t, change) => {
    const canary = 'c4n4ry';
    const read = readText({ ...payload(), ...change, Timestamp: canary }, now);
    t.true(read instanceof RelayError && !read.message.includes(canary));
  },
);

test('a text and its sender reach the vendor without controls and halves of pairs, and are measured so', (t) => {
  const read = readText(payload({ Message: `${'x'.repeat(158)}\u0000\uD83D\r\n`, Sender: 'ops\u0000@site.org' }), now);
  t.like(read, { text: `${'x'.repeat(158)}\uFFFD\n`, sender: 'ops@site.org' });
  t.is(problemOf({ Message: '\u0000\u0001' }), 'Message is empty');
});

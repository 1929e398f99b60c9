import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import { cleanText, isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import {
  isRecipient,
  messageBody,
  readMoment,
  readRecipients,
  readSender,
  readText,
  recipientInvalid,
  writeMoment,
} from './text.ts';

const momentNow = Date.UTC(2026, 0, 1);
const first = Date.UTC(2011, 0, 1);
const at = Date.UTC(2025, 5, 4, 10, 35, 10);

const good: readonly (readonly [value: unknown, ms: number])[] = [
  ['2025-06-04 13:35:10+03:00', at],
  ['2025-06-04T13:35:10+03:00', at],
  ['2025-06-04T10:35:10Z', at],
  ['2025-06-04 10:35:10', at],
  ['2025-06-04 10:35:10.250000+00:00', at + 250],
  ['2025-06-04T05:05:10-05:30', at],
  [`/Date(${at})/`, at],
  [`/Date(${at}+0300)/`, at],
  [` /Date(${at})/ `, at],
  [`/Date(${first})/`, first],
  ['2011-01-01T00:00:00Z', first],
  [undefined, momentNow],
  [null, momentNow],
  ['', momentNow],
];
for (const [value, ms] of good)
  test(`${JSON.stringify(value) ?? 'nothing'} is read`, (t) => {
    t.is(readMoment(value, momentNow), ms);
  });

const unusable: readonly unknown[] = [
  '/Date(4102444800000)/',
  '2100-01-01T00:00:00Z',
  `/Date(${momentNow + 1})/`,
  `/Date(${first - 1})/`,
  '2010-12-31 23:59:59',
  '/Date(-62135596800000)/',
  '0001-01-01T00:00:00',
  'soon',
  '/Date()/',
  '/Date(12e3)/',
  '2025-13-01T00:00:00Z',
  5,
  true,
  {},
  [],
  'x'.repeat(1_000),
];
for (const value of unusable)
  test(`a text at the unusable time ${JSON.stringify(value).slice(0, 40)} goes out as one of now`, (t) => {
    t.is(readMoment(value, momentNow), momentNow);
  });

testProp('what is written is read back', [fc.integer({ min: first, max: momentNow })], (t, ms) => {
  t.is(readMoment(writeMoment(ms), momentNow), ms);
});

testProp('whatever comes, a time is never outside what the vendor takes', [fc.anything()], (t, value) => {
  const read = readMoment(value, momentNow);
  t.true(read >= first && read <= momentNow);
});

test('recipients are read once each, in order, numbers as digits', (t) => {
  t.deepEqual(readRecipients({ Recipients: ['2', 1, ' 2 ', '1', 300_434_030_000_000] }), ['2', '1', '300434030000000']);
  t.deepEqual(readRecipients({ Recipients: [] }), []);
});

test('what is no list of recipients is none', (t) => {
  for (const payload of [null, undefined, 'x', [], {}, { Recipients: '300434030000000' }, { Recipients: null }])
    t.is(readRecipients(payload), undefined);
});

test('an entry that is no device keeps a short name', (t) => {
  t.deepEqual(readRecipients({ Recipients: [null, { a: 1 }, 'x'.repeat(100)] }), ['null', '{"a":1}', 'x'.repeat(64)]);
});

testProp('any list is read, bounded and without repeats', [fc.array(fc.jsonValue())], (t, list) => {
  const read = readRecipients({ Recipients: list }) ?? [];
  t.is(new Set(read).size, read.length);
  t.true(read.every((name) => name.length <= 64));
});

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
  ['161 characters', { Message: 'x'.repeat(161) }, 'Message has 161 characters, at most 160 are allowed'],
  ['161 characters of two units', { Message: '🦒'.repeat(161) }, 'Message has 161 characters, at most 160 are allowed'],
  ['a sender of letters', { Sender: 'Ops' }, 'Sender is neither an e-mail address nor a number'],
  ['no sender', { Sender: undefined }, 'Sender is neither an e-mail address nor a number'],
  ['a sender that is an object', { Sender: {} }, 'Sender is neither an e-mail address nor a number'],
  [
    'a sender that cannot become a text',
    { Sender: { toString: 0 } },
    'Sender is neither an e-mail address nor a number',
  ],
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

const senders: readonly (readonly [given: unknown, sent: string])[] = [
  [' ops@site.org ', 'ops@site.org'],
  ['Ops Desk <ops@example.org>', 'ops@example.org'],
  ['"Ops, Desk" <ops@example.org>', 'ops@example.org'],
  ['<ops@example.org>', 'ops@example.org'],
  [254_700_000_000, '254700000000'],
  ['+254700000000', '254700000000'],
  ['+1-202-555-0101', '12025550101'],
  ['(202)555-0101', '2025550101'],
  ['202.555.0101', '2025550101'],
  [' +1 (202)\u00A0555\u20110101', '12025550101'],
];
for (const [given, sent] of senders)
  test(`the sender ${JSON.stringify(given)} is brought into the form ${sent}`, (t) => {
    t.is(readSender(given), sent);
  });

testProp(
  'whatever comes, a sender is an address or digits, and stays itself when it is read again',
  [fc.oneof(fc.anything(), fc.emailAddress(), fc.string({ unit: fc.constantFrom(...'0123456789+-. ()<>@a') }))],
  (t, value) => {
    const read = readSender(value);
    if (read === undefined) return t.pass();
    t.regex(read, /^(?:\d{1,20}|[^\s@<>]+@[^\s@<>]+)$/);
    t.is(readSender(read), read);
  },
);

test('no place is sent when the platform named none', (t) => {
  for (const ReferencePoint of [undefined, null, {}, { Altitude: 1200 }, { Coordinate: { Latitude: 'abc' } }]) {
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
  [fc.string({ unit: anyCharacter, maxLength: 200, size: 'max' })],
  (t, Message) => {
    const clean = cleanText(Message);
    const length = [...clean].length;
    const read = readText(payload({ Message }), now);
    if (length < 1 || length > 160) return t.true(read instanceof RelayError);
    t.is('text' in read ? read.text : undefined, clean);
  },
);

testProp('a refusal never repeats a value', [fc.record({ Message: fc.anything() })], (t, change) => {
  const canary = 'c4n4ry';
  const read = readText({ ...payload(), ...change, Sender: canary }, now);
  t.true(read instanceof RelayError && !read.message.includes(canary));
});

test('a text and its sender reach the vendor without controls and halves of pairs, and are measured so', (t) => {
  const read = readText(payload({ Message: `${'x'.repeat(158)}\u0000\uD83D\r\n`, Sender: 'ops\u0000@site.org' }), now);
  t.like(read, { text: `${'x'.repeat(158)}\uFFFD\n`, sender: 'ops@site.org' });
  t.is(problemOf({ Message: '\u0000\u0001' }), 'Message is empty');
});

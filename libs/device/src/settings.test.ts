import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { defaultSettings, eventBytesLimit, isTooLarge, readSettings } from './settings.ts';

const withoutMedia = (key: string, value: unknown): unknown => (key === 'mediaBytes' ? undefined : value);
const measured = (event: unknown): number => Buffer.byteLength(JSON.stringify(event, withoutMedia));

/** Texts that JSON writes at one to six bytes a unit, up to beyond the limit. */
const text = fc
  .tuple(fc.constantFrom('a', '"', '\u0001', 'ж', '😀', '\uD83D', '\\'), fc.nat(eventBytesLimit + 10))
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)));
const member = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.array(text, { maxLength: 2 }));

testProp(
  'an event is too large exactly when its JSON without media is over the limit',
  [fc.dictionary(fc.oneof(fc.string(), fc.constant('mediaBytes'), text), member, { maxKeys: 4 })],
  (t, event) => {
    t.is(isTooLarge(event, Infinity), measured(event) > eventBytesLimit);
  },
  { numRuns: 300 },
);

const eventOf = (bytes: number): object => ({ a: 'x'.repeat(bytes - '{"a":""}'.length), mediaBytes: 'y'.repeat(1e6) });

test('at the limit an event passes, one byte more and it does not', (t) => {
  t.false(isTooLarge(eventOf(eventBytesLimit), Infinity));
  t.true(isTooLarge(eventOf(eventBytesLimit + 1), Infinity));
});

test('observations and messages are on, messages of code 3, positions without a fix off', (t) => {
  t.deepEqual(defaultSettings, {
    includeObservations: true,
    includeMessages: true,
    messageCodes: new Set([3]),
    includeNoFix: false,
  });
});

for (const raw of [undefined, null, {}, { include_messages: null }, { something_else: [1] }])
  test(`${JSON.stringify(raw)} is the default, without complaint`, (t) => {
    t.deepEqual(readSettings(raw), { settings: defaultSettings, ignored: [] });
  });

test('every key is taken', (t) => {
  const raw = { include_observations: false, include_messages: false, message_codes: [3, '14'], include_no_fix: true };
  t.deepEqual(readSettings(raw), {
    settings: {
      includeObservations: false,
      includeMessages: false,
      messageCodes: new Set([3, 14]),
      includeNoFix: true,
    },
    ignored: [],
  });
});

test('a wrong value falls back for its key alone and is named', (t) => {
  const { settings, ignored } = readSettings({
    include_observations: 'perhaps',
    include_messages: false,
    message_codes: 'all',
    include_no_fix: 7,
  });
  t.deepEqual(settings, { ...defaultSettings, includeMessages: false });
  t.deepEqual(ignored, ['include_observations', 'message_codes', 'include_no_fix']);
});

test('settings that are no object are the default, and named', (t) => {
  for (const raw of ['text', 5, [], true])
    t.deepEqual(readSettings(raw), { settings: defaultSettings, ignored: ['webhook_configuration'] });
});

testProp('any settings are read without throwing', [fc.anything()], (t, raw) => {
  t.true(readSettings(raw).settings.messageCodes instanceof Set);
});

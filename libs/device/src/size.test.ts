import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { eventBytesLimit, isTooLarge } from './size.ts';

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

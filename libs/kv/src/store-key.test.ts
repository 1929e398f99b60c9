import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { storeKey } from './index.ts';

/** Ids as producers make them, and such as would meet if parts were only put together. */
const part = fc.oneof(
  fc.uuid(),
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('.', '%', 'a', '', '%002E', '\u0000', '\uD800', 'é') }),
  fc.string({ minLength: 195, maxLength: 210, unit: fc.constantFrom('a', '.') }),
  fc.string({ unit: fc.integer({ min: 0xd7fe, max: 0xe001 }).map((code) => String.fromCharCode(code)) }),
);
const parts = fc.array(part, { minLength: 1, maxLength: 5 });

testProp(
  'two keys are alike only when every part is, also as a store keeps them',
  [parts, parts],
  (t, one, other) => {
    const keys = [one, other].map((each) => Buffer.from(storeKey('name', ...each)).toString('hex'));
    t.is(keys[0] === keys[1], JSON.stringify(one) === JSON.stringify(other));
  },
  { numRuns: 2_000 },
);

/** The same signs, cut into parts at two places: put together with dots they are the same text. */
const cuts = fc
  .array(fc.constantFrom('a', 'b', '', '%002E', 'é'), { minLength: 4, maxLength: 8 })
  .chain((signs) => fc.tuple(fc.constant(signs), fc.nat({ max: signs.length }), fc.nat({ max: signs.length })));

testProp('the same text cut into other parts is another key', [cuts], (t, [signs, one, other]) => {
  const keyOf = (at: number): string => storeKey('name', signs.slice(0, at).join('.'), signs.slice(at).join('.'));
  t.is(keyOf(one) === keyOf(other), one === other);
});

testProp('a key is bounded, whatever its parts are', [parts], (t, given) => {
  t.true(storeKey('name', ...given).length <= 5 * 201 + 5);
});

test('usual parts are written out', (t) => {
  t.is(
    storeKey('done', 'site_connector', '/push-data', 'park-1', 'pull', 'e:7'),
    'done.site_connector./push-data.park-1.pull.e:7',
  );
  t.is(storeKey('push', 'a.b', '', '50%'), 'push.a%002Eb..50%0025');
});

import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { readRecipients } from './recipients.ts';

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

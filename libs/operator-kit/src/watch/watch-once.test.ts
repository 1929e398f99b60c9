import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createLines } from './watch-once.ts';

const text = fc.array(
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((s) => `x${s.replaceAll('\n', '')}🦏é`),
  {
    maxLength: 12,
  },
);

testProp(
  'lines are the same however their bytes are cut, and an unfinished one is none',
  [text, fc.string({ maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })],
  (t, wanted, rest, cuts) => {
    const clean = wanted.map((line) => Buffer.from(line).toString('utf8'));
    const bytes = Buffer.from(clean.map((line) => `${line}\n`).join('') + rest.replaceAll('\n', ''));
    const lines = createLines();
    const found: string[] = [];
    for (let at = 0, n = 0; at < bytes.length; n += 1) {
      const size = cuts[n % cuts.length] ?? 1;
      found.push(...lines.push(bytes.subarray(at, at + size)));
      at += size;
    }
    t.deepEqual(found, clean);
  },
  { numRuns: 300 },
);

test('empty lines are passed over', (t) => {
  t.deepEqual(createLines().push(Buffer.from('a\n\n \r\nb\n')), ['a', 'b']);
});

test('a line without end is refused before it fills the memory', (t) => {
  const lines = createLines(100);
  t.deepEqual(lines.push(Buffer.from(`${'x'.repeat(99)}\n`)), ['x'.repeat(99)]);
  lines.push(Buffer.from('x'.repeat(60)));
  t.throws(() => lines.push(Buffer.from('x'.repeat(60))), { instanceOf: RangeError });
});

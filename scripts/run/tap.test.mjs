import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { tapReader } from './tap.mjs';

const read = (...pieces) => {
  const reader = tapReader();
  const points = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return { points, counts: reader.counts() };
};

const sample = `TAP version 13
ok 1 - a › skipped # SKIP
not ok 2 - a › todo # TODO
ok 3 - a › passes # 1
#   25 cases
not ok 4 - a › differs
#   seen: 1
  ---
    name: AssertionError
    details:
      'Difference:': |2-
          {
        -   ok: 1,
          }
    message: ''
  ...
ok 5 - b › passes

1..5
# tests 4
# pass 2
# skip 1
# fail 2
`;

test('counts passed, failed and skipped, and keeps logs and the reason of a failure', (t) => {
  const { points, counts } = read(sample);
  t.deepEqual(counts, { passed: 2, failed: 1, skipped: 2 });
  t.deepEqual(
    points.map(({ kind, title }) => `${kind} ${title}`),
    ['skipped a › skipped', 'skipped a › todo', 'passed a › passes # 1', 'failed a › differs', 'passed b › passes'],
  );
  t.deepEqual(points[2]?.logs, ['25 cases']);
  t.deepEqual(points[3]?.logs, ['seen: 1']);
  t.deepEqual(points[3]?.details.slice(0, 3), ['name: AssertionError', 'details:', "  'Difference:': |2-"]);
  t.true(points[3]?.details.includes('    -   ok: 1,'));
});

test('lines of a failure that look like tests are not counted', (t) => {
  const { counts } = read('not ok 1 - a\n  ---\n    ok 2 - b\n    not ok 3 - c\n  ...\n1..1\n# fail 1\n');
  t.deepEqual(counts, { passed: 0, failed: 1, skipped: 0 });
});

test('a test that was declared and never finished counts as failed', (t) => {
  t.is(read('ok 1 - a\n\n1..1\n# tests 1\n# pass 1\n# fail 3\n').counts.failed, 3);
});

test('a crash and a bail-out count as failed', (t) => {
  const { counts, points } = read(
    'ok 1 - a\nnot ok 2 - b.test.ts exited with a non-zero exit code: 1\nBail out! no disk\n',
  );
  t.deepEqual(counts, { passed: 1, failed: 2, skipped: 0 });
  t.is(points.at(-1)?.title, 'Bail out! no disk');
});

test('a stream that breaks off in the middle of a line loses nothing that was said', (t) => {
  t.deepEqual(read('ok 1 - a\nnot ok 2 - b').counts, { passed: 1, failed: 1, skipped: 0 });
  t.deepEqual(read('').counts, { passed: 0, failed: 0, skipped: 0 });
});

test('both kinds of line ends are read', (t) => {
  t.deepEqual(read(sample.replaceAll('\n', '\r\n')).counts, read(sample).counts);
});

testProp(
  'the pieces in which the stream comes do not matter',
  [fc.array(fc.nat({ max: sample.length }))],
  (t, cuts) => {
    const at = [0, ...cuts.toSorted((a, b) => a - b), sample.length];
    t.deepEqual(read(...at.slice(1).map((end, i) => sample.slice(at[i], end))), read(sample));
  },
);

const title = fc.stringMatching(/^[a-z ›:'"-]{1,20}$/).map((text) => text.trim() || 'x');
const outcomes = fc.array(fc.tuple(fc.constantFrom('passed', 'failed', 'skipped'), title), { maxLength: 40 });

testProp('every test that was written is counted once, under its own title', [outcomes], (t, list) => {
  const lines = list.map(
    ([kind, name], i) =>
      `${kind === 'failed' ? 'not ok' : 'ok'} ${i + 1} - ${name}${kind === 'skipped' ? ' # SKIP' : ''}`,
  );
  const { points, counts } = read(`TAP version 13\n${lines.join('\n')}\n`);
  t.deepEqual(
    points.map((point) => [point.kind, point.title]),
    list.map(([kind, name]) => [kind, name]),
  );
  for (const kind of ['passed', 'failed', 'skipped']) t.is(counts[kind], list.filter(([k]) => k === kind).length);
});

testProp(
  'no text makes the reader throw or count below zero',
  [fc.string({ unit: fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code).toWellFormed()) })],
  (t, text) => {
    const { passed, failed, skipped } = read(text).counts;
    t.true(passed >= 0 && failed >= 0 && skipped >= 0);
  },
);

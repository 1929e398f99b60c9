import { fc, testProp } from '@fast-check/ava';
import { sourceEventSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { type Assignment, readAssignment, subjectAt, unknownSource } from './source-directory.ts';
import { readFix, recordOf } from './source-event.ts';

const row = { id: 7, recorded_at: '2026-01-01T03:00:00', source: 's', location: { longitude: '36.5', latitude: -1 } };
const origin = { integrationId: 'park', receivedAt: '2026-01-01T00:00:00.000Z', attempt: 1 };

test('numbers may come as texts, ids as numbers, and a time without an offset is UTC and says so', (t) => {
  t.deepEqual(readFix(row, null), {
    id: '7',
    sourceId: 's',
    at: Date.UTC(2026, 0, 1, 3),
    recordedAt: '2026-01-01T03:00:00.000Z',
    location: { lat: -1, lon: 36.5 },
    rest: { id: 7 },
  });
  t.is(readFix({ ...row, source: { id: 'deep' } }, null)?.sourceId, 'deep');
  t.is(readFix({ ...row, source: null }, 'asked')?.sourceId, 'asked');
  t.is(readFix({ ...row, source: null }, null), undefined);
});

test('an observation without an id is told by its source, time and place', (t) => {
  const fix = readFix({ ...row, id: null }, null);
  t.is(fix?.id, 's 2026-01-01T03:00:00.000Z -1 36.5');
});

test('a record never outgrows its topic, and nesting without end breaks nothing', (t) => {
  let deep: unknown = 1;
  for (let n = 0; n < 50_000; n += 1) deep = [deep];
  for (const extra of ['x'.repeat(2_000_000), deep]) {
    const fix = readFix({ ...row, extra }, null);
    if (!fix) return t.fail();
    const { value } = recordOf(fix, unknownSource, origin);
    t.true(String(value).length < 200_000);
    t.deepEqual(sourceEventSchema.parse(JSON.parse(String(value))).observation?.additional, {
      site_source_id: 's',
      left_out: 'too large',
    });
  }
});

testProp('anything can come as an observation', [fc.anything()], (t, value) => {
  t.notThrows(() => readFix(value, null));
  t.notThrows(() => readAssignment(value));
});

const at = (lower: number, upper: number, subject: string): Assignment => ({ source: 's', subject, lower, upper });

test('a subject wears a source from its lower bound to before its upper; of several the latest', (t) => {
  const list = [at(0, 10, 'a'), at(5, 20, 'b'), at(-Infinity, Infinity, 'always')];
  t.deepEqual(
    [-1, 0, 4, 5, 9, 10, 19, 20].map((time) => subjectAt(list, time)),
    ['always', 'a', 'a', 'b', 'b', 'b', 'b', 'always'],
  );
  t.is(subjectAt([at(0, 10, 'a')], 10), undefined);
});

const range = (lower: unknown, upper: unknown) =>
  readAssignment({ source: 's', subject: 'a', assigned_range: { lower, upper } });

test('a range is open where it says nothing or the year 9999', (t) => {
  t.like(range('2026-01-01T00:00:00Z', '9999-12-31T23:59:59.999999+00:00'), { upper: Infinity });
  t.like(range(null, null), { lower: -Infinity, upper: Infinity });
  t.like(readAssignment({ source: 's', subject: 'a' }), { lower: -Infinity, upper: Infinity });
  t.is(range('soon', null), undefined);
});

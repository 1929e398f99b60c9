import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { conditionNamed, kubeTime, withConditions, type Condition, type Said } from './conditions.ts';

const said: fc.Arbitrary<Said> = fc.record({
  type: fc.constantFrom('Ready', 'Stalled', 'Reconciling'),
  status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
  reason: fc.constantFrom('Good', 'Bad'),
  message: fc.constantFrom('', 'why'),
  observedGeneration: fc.integer({ min: 1, max: 3 }),
});

testProp(
  'the time of a condition is the time of the last change of its status, and nothing else',
  [fc.array(said, { maxLength: 30 })],
  (t, sayings) => {
    let conditions: readonly Condition[] = [];
    const since = new Map<string, { status: string; at: string }>();
    for (const [n, each] of sayings.entries()) {
      const at = kubeTime(n * 1_000);
      if (since.get(each.type)?.status !== each.status) since.set(each.type, { status: each.status, at });
      conditions = withConditions(conditions, [each], n * 1_000);
      const found = conditionNamed(conditions, each.type);
      t.like(found, { ...each, lastTransitionTime: since.get(each.type)?.at ?? '' });
    }
    t.is(new Set(conditions.map(({ type }) => type)).size, conditions.length);
  },
  { numRuns: 200 },
);

testProp(
  'saying the same again changes nothing',
  [fc.uniqueArray(said, { selector: ({ type }) => type })],
  (t, sayings) => {
    const once = withConditions([], sayings, 1_000);
    t.deepEqual(withConditions(once, sayings, 99_000), once);
  },
);

test('conditions of others stay, in their order', (t) => {
  const foreign = { type: 'Foreign', status: 'True', reason: 'X', message: '', lastTransitionTime: 'then' } as const;
  const next = withConditions([foreign], [{ type: 'Ready', status: 'True', reason: 'Good', message: '' }], 0);
  t.deepEqual(
    next.map(({ type }) => type),
    ['Foreign', 'Ready'],
  );
  t.is(next[0], foreign);
});

test('texts are cut to what the API server takes', (t) => {
  const [found] = withConditions(
    undefined,
    [{ type: 'R', status: 'True', reason: 'x'.repeat(2_000), message: 'y'.repeat(40_000) }],
    0,
  );
  t.is(found?.reason.length, 1_024);
  t.is(found?.message.length, 32_768);
});

test('times are whole seconds in UTC', (t) => {
  t.is(kubeTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999)), '2026-01-02T03:04:05Z');
});

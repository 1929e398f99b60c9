import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { canonical, createDedup } from './dedup.ts';

/** The rule in its simplest form: a mark at a time, alive for 1800 s (events 3600 s) after the latest sight. */
const simpleModel = () => {
  const marks = new Map<string, number>();
  return (kind: string, integration: string, item: object, now: number): boolean => {
    const key = JSON.stringify([kind, integration, item]);
    const before = marks.get(key) ?? -Infinity;
    marks.set(key, now);
    return now - before < (kind === 'event' ? 3_600_000 : 1_800_000);
  };
};

const step = fc.record({
  kind: fc.constantFrom('observation', 'message', 'event'),
  integration: fc.constantFrom('a', 'b'),
  item: fc.record({ source: fc.constantFrom('x', 'y'), n: fc.nat(2) }),
  ms: fc.constantFrom(0, 1, 1_000, 899_999, 1_799_999, 1_800_000, 3_599_999),
});

testProp(
  'marks live exactly as long as the contract says',
  [fc.array(step, { minLength: 1, maxLength: 60, size: 'max' })],
  (t, steps) => {
    const clock = manualClock();
    const dedup = createDedup(clock);
    const model = simpleModel();
    for (const { kind, integration, item, ms } of steps) {
      clock.advance(ms);
      t.is(dedup.seen(kind, integration, item), model(kind, integration, item, clock.now()));
    }
  },
);

testProp(
  'equal items have one text whatever the order of their members',
  [fc.dictionary(fc.string(), fc.jsonValue())],
  (t, item) => {
    t.is(canonical(Object.fromEntries(Object.entries(item).toReversed())), canonical(item));
    t.deepEqual(JSON.parse(canonical(item)), JSON.parse(JSON.stringify(item)));
  },
);

test('dead marks are forgotten, and so are the oldest beyond the capacity', (t) => {
  const clock = manualClock();
  const dedup = createDedup(clock, 100);
  for (let n = 0; n < 500; n += 1) dedup.seen('message', 'a', { n });
  t.true(dedup.size() <= 101);
  clock.advance(1_800_000);
  dedup.seen('message', 'a', { n: 1 });
  t.is(dedup.size(), 1);
});

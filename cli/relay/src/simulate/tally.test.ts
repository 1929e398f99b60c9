import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createLatencies } from './tally.ts';

test('without any, all figures are 0', (t) => {
  const latencies = createLatencies();
  t.deepEqual([latencies.quantile(0.5), latencies.max(), latencies.count()], [0, 0, 0]);
});

test('one latency is every quantile', (t) => {
  const latencies = createLatencies();
  latencies.add(12);
  for (const share of [0.01, 0.5, 0.99, 1]) t.is(latencies.quantile(share), 12);
});

test('latencies beyond every bound are kept by the greatest', (t) => {
  const latencies = createLatencies();
  for (const ms of [0, 1e9]) latencies.add(ms);
  t.is(latencies.max(), 1e9);
  t.true(latencies.quantile(0.5) < 0.06);
});

testProp(
  'a quantile is within 2 % of what sorting gives',
  [
    fc.array(fc.double({ min: 0.1, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 300 }),
    fc.double({ min: 0.01, max: 1, noNaN: true }),
  ],
  (t, values, share) => {
    const latencies = createLatencies();
    for (const value of values) latencies.add(value);
    const exact = values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] as number;
    const found = latencies.quantile(share);
    t.true(found >= exact * 0.98 && found <= exact * 1.0201, `${found} for ${exact}`);
    t.is(latencies.count(), values.length);
    t.is(latencies.max(), Math.max(...values));
  },
);

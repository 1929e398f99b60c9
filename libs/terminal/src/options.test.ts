import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { InvalidArgumentError } from 'commander';
import { addressOption, durationOption, momentOption, percentOption, rateOption, wholeOption } from './options.ts';

const refused = { instanceOf: InvalidArgumentError };
const now = Date.UTC(2026, 0, 10, 12);

test('spans are read with their unit', (t) => {
  const spans = { '500ms': 500, '30s': 30_000, '1.5m': 90_000, '10min': 600_000, '2h': 7_200_000, '1d': 86_400_000 };
  for (const [text, ms] of Object.entries(spans)) t.is(durationOption(text), ms, text);
});

for (const text of ['', '30', 's', '-3s', '0s', '3 weeks', '1e3s', '10toString', '10constructor', 'NaNs'])
  test(`the span "${text}" is refused with what it takes`, (t) => {
    const error = t.throws(() => durationOption(text), refused);
    t.regex(error.message, /500ms, 30s/);
  });

test('a moment is a span before now, or an ISO time', (t) => {
  const read = momentOption(() => now);
  t.is(read('2h'), now - 7_200_000);
  t.is(read('2026-01-09T08:00:00Z'), Date.UTC(2026, 0, 9, 8));
  t.is(read('2026-01-09'), Date.UTC(2026, 0, 9));
});

for (const text of ['', 'yesterday', '12', '2026-13-40T00:00:00Z', 'Jan 5 2026'])
  test(`the moment "${text}" is refused`, (t) => {
    t.throws(() => momentOption(() => now)(text), refused);
  });

testProp('whole numbers within the bounds are read, others refused', [fc.integer({ min: -50, max: 150 })], (t, n) => {
  const read = wholeOption(1, 100);
  if (n >= 1 && n <= 100) t.is(read(String(n)), n);
  else t.throws(() => read(String(n)), refused);
});

test('what reads a whole number tells its bounds', (t) => {
  const { min, max } = wholeOption(2, 40);
  t.deepEqual([min, max], [2, 40]);
});

for (const text of ['', '1.5', '0x10', '1e2', ' 5', '９'])
  test(`"${text}" is no whole number`, (t) => {
    t.throws(() => wholeOption(0, 1_000)(text), refused);
  });

test('rates are positive and may have a fraction', (t) => {
  t.is(rateOption(100)('0.5'), 0.5);
  t.is(rateOption(100)('100'), 100);
  for (const text of ['0', '101', '-1', 'fast']) t.throws(() => rateOption(100)(text), refused, text);
});

test('percentages are shares, with or without their sign', (t) => {
  t.is(percentOption('5'), 0.05);
  t.is(percentOption('12.5%'), 0.125);
  t.is(percentOption('0'), 0);
  t.is(percentOption('100 %'), 1);
  for (const text of ['', '101', '-1', '%', 'half']) t.throws(() => percentOption(text), refused, text);
});

test('addresses are http or https', (t) => {
  t.is(addressOption('http://127.0.0.1:8081/webhooks'), 'http://127.0.0.1:8081/webhooks');
  for (const text of ['', 'localhost:8081', 'ftp://host/', 'javascript:alert(1)'])
    t.throws(() => addressOption(text), refused, text);
});

testProp('no text at all makes a parser fail in another way', [fc.string()], (t, text) => {
  for (const read of [
    durationOption,
    momentOption(() => now),
    wholeOption(0, 9),
    rateOption(9),
    percentOption,
    addressOption,
  ])
    try {
      t.true(['number', 'string'].includes(typeof read(text)));
    } catch (error) {
      t.true(error instanceof InvalidArgumentError);
    }
});

import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import {
  afterFailure,
  endOf,
  isWaiting,
  nextRange,
  type Range,
  readUpTo,
  replaced,
  split,
  within,
  without,
} from './ranges.ts';

const [hourMs, lengthMs] = [3_600_000, 100_000];

/** Whether every instant of a window is in one of the ranges. */
const covers = (ranges: readonly Pick<Range, 'from' | 'to'>[], from: number, to: number): boolean => {
  let reached = from;
  for (const range of ranges.toSorted((a, b) => a.from - b.from))
    if (range.from <= reached) reached = Math.max(reached, endOf(range));
  return reached >= to;
};

const interval = fc
  .tuple(fc.nat(lengthMs), fc.nat(lengthMs))
  .map(([a, b]): Range => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }));

testProp(
  'what is read, what is left and what waits is the whole list, wherever the site fails, answers in parts, or fails for a while',
  [
    fc.array(
      fc.record({
        kind: fc.constantFrom('read', 'part', 'split', 'outage'),
        share: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      }),
      {
        maxLength: 60,
      },
    ),
    fc.uniqueArray(fc.nat(lengthMs - 1), { maxLength: 5 }),
    fc.boolean(),
  ],
  (t, steps, failing, isOpen) => {
    const whole: Range = { from: 0, to: isOpen ? null : lengthMs };
    const rest = { kind: 'read', share: 1 } as const;
    const read: Range[] = [];
    let ranges: readonly Range[] = [{ ...whole, listing: true }, whole];
    let asked = 0;
    for (let range = nextRange(ranges, 0); range; range = nextRange(ranges, 0)) {
      const { kind, share } = steps[asked] ?? rest;
      asked += 1;
      if (asked > 5_000) return t.fail('it does not end');
      const { from, to } = range;
      // Bounds of a request are inclusive, and its lower one reaches back.
      const isFailing = failing.some((at) => at >= from - 1 && at <= endOf(range as Range));
      if (isFailing || kind === 'outage') ({ ranges } = afterFailure(ranges, range, 0, () => true));
      else if (kind === 'split' && endOf(range) - from > 1)
        ranges = replaced(
          ranges,
          range,
          split(range, from + Math.max(1, Math.floor((Math.min(endOf(range), lengthMs) - from) * share))),
        );
      else {
        const through = kind === 'part' && to !== null ? from + Math.ceil((to - from) * share) : endOf(range);
        read.push({ from, to: Number.isFinite(through) ? through : null });
        ranges = readUpTo(ranges, range, through);
      }
    }
    t.true(ranges.every(isWaiting));
    t.true(covers([...read, ...ranges], 0, endOf(whole)));
    for (const at of failing)
      t.true(
        ranges.some(({ from, to }) => from <= at && at < (to ?? 0)),
        `${at} waits`,
      );
    t.true(ranges.every(({ from, to }) => (to ?? 0) - from <= 5));
  },
);

testProp(
  'a range without others and those others are all of it, and share nothing',
  [interval, fc.array(interval)],
  (t, range, others) => {
    const left = without(range, others);
    t.true(covers([...left, ...others], range.from, endOf(range)));
    for (const piece of left) {
      t.true(piece.from < endOf(piece) && piece.from >= range.from && endOf(piece) <= endOf(range));
      for (const other of others) t.deepEqual(within(piece, other.from, endOf(other)), []);
    }
  },
);

test('a listing and older rows are read in turns', (t) => {
  const [listing, older]: Range[] = [
    { from: 0, to: null, listing: true },
    { from: 0, to: 10 },
  ];
  let ranges: readonly Range[] = [older as Range, listing as Range];
  const order: boolean[] = [];
  for (let n = 0; n < 4; n += 1) {
    const range = nextRange(ranges, 0) as Range;
    order.push(range.listing === true);
    ranges = readUpTo(ranges, range, range.from + 1);
  }
  t.deepEqual(order, [false, true, false, true]);
});

test('a range that waits is due after an hour, or at once when the clock was set back', (t) => {
  const range: Range = { from: 0, to: 2, retry_at: 10 * hourMs };
  t.is(nextRange([range], 10 * hourMs - 1), undefined);
  t.is(nextRange([range], 10 * hourMs), range);
  t.is(nextRange([range], 0), range);
  t.like(
    afterFailure([range], range, 10 * hourMs, () => true),
    { kind: 'waits', isNew: false },
  );
});

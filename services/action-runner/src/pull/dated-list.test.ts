import test from 'ava';
import { beginDated, type DatedSettings, type DatedState } from './dated-list.ts';

const settings: DatedSettings = {
  start: 1_000_000,
  end: Infinity,
  names: {},
  forced: false,
  by: 'updated_at',
  hash: 'a',
  backMs: 1_000,
  lateMs: 5_000,
};
const empty: DatedState = { ranges: [] };
/** The state once everything was read up to a time. */
const readTo = (state: DatedState, last_execution: number): DatedState => ({
  ...state,
  last_execution,
  listing: undefined,
  ranges: [],
});

test('a list without names is read from its start, then from its watermark; an earlier start adds what lies before', (t) => {
  const first = beginDated(empty, settings);
  t.like(first.ranges, [{ from: 1_000_000, to: null, listing: true }]);
  const later = readTo(first, 2_000_000);
  t.like(beginDated(later, settings).ranges, [{ from: 1_999_000, to: null, listing: true }]);
  const earlier = beginDated(later, { ...settings, start: 500_000, hash: 'b' }).ranges;
  t.like(earlier, [{ from: 1_999_000 }, { from: 500_000, to: 1_000_000 }]);
});

import test from 'ava';
import { compareListed } from './gaps.ts';
import type { PlanSettings } from './plan.ts';
import type { PullState } from './state.ts';

const settings: PlanSettings = {
  start: 1_000_000,
  end: Infinity,
  partMs: 3_600_000,
  forced: false,
  sources: ['a', 'b'],
  hash: 'h',
  overlapMs: 1_000,
  lateMs: 5_000,
};

const watermark = 9_000_000;
const kept = (ranges: PullState['ranges']): PullState => ({
  last_execution: watermark,
  ranges,
  listed: { start: 1_000_000, end: null, sources: { a: null, b: null } },
  runs_without_page: 0,
});

/** The range that is due when `b` leaves during a run and returns after it. */
const dueAfterReturn = (ranges: PullState['ranges']) => {
  const left = compareListed(kept(ranges), { ...settings, sources: ['a'] });
  const { gaps } = compareListed({ ...kept([]), listed: left.listed }, settings);
  return gaps;
};

test('a source that leaves was covered up to the watermark, but not while older rows are still to be read', (t) => {
  const lacksNewRows = [{ from: 1_000_000, to: null, saved_from: watermark - 1_000, sources: ['b'] }];
  t.deepEqual(dueAfterReturn([]), lacksNewRows);
  t.deepEqual(dueAfterReturn([{ from: 5_000_000, to: null, listing: true }]), lacksNewRows);
  t.deepEqual(dueAfterReturn([{ from: 2_000_000, to: 3_000_000, retry_at: 1 }]), lacksNewRows);
  t.deepEqual(dueAfterReturn([{ from: 2_000_000, to: 3_000_000 }]), [{ from: 1_000_000, to: null, sources: ['b'] }]);
});

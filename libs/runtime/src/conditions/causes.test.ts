import test from 'ava';
import { seededRandom } from '../testing/index.ts';
import { findCause, findCauses } from './causes.ts';
import type { ConditionState } from './table.ts';

const names = [
  'volume_full',
  'bus_write_failing',
  'topic_write_failing',
  'platform_unavailable',
  'sos_waiting',
] as const;

test('a condition has the same cause when it is asked for alone as among all', (t) => {
  const random = seededRandom(7);
  const whole = (below: number): number => Math.floor(random.next() * below);
  for (let round = 0; round < 500; round += 1) {
    const all = Array.from({ length: whole(12) }, (_, n): ConditionState => {
      const since = whole(4) * 50_000;
      const name = names[whole(names.length)] ?? names[0];
      return { name, subject: String(n), active: true, since, lastAt: since, count: 1, details: {} };
    });
    const { causeOf } = findCauses(all.toSorted((a, b) => a.since - b.since));
    for (const state of all) t.is(findCause(state, all), causeOf(state));
  }
});

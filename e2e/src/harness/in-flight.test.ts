import test from 'ava';
import { unexplainedRepeats, wasLastOrInFlight } from './in-flight.ts';
import type { DoorLine } from './platform.ts';

const kill = { at: 10_000, goneAt: 10_010 };

/** The n-th item of a source, whose answer left at a moment. */
const taken = (source: string, n: number, answeredAt: number): DoorLine => ({
  seq: answeredAt,
  at: answeredAt,
  integration: 'park',
  kind: 'observation',
  outcome: 'stored',
  status: 200,
  answered: true,
  answered_at: answeredAt,
  item: { source, additional: { altitude: n } },
});

const unexplained = (...lines: readonly DoorLine[]) => [
  unexplainedRepeats(lines, [kill]).length,
  unexplainedRepeats(lines, [kill], wasLastOrInFlight(lines)).length,
];

test('a repeat of the last call of its source before a kill is explained, where the sender may have been held up', (t) => {
  t.deepEqual(unexplained(taken('a', 1, 9_300), taken('b', 1, 9_900), taken('a', 1, 12_000)), [1, 0]);
});

test('a repeat of what came before the last call of its source is not', (t) => {
  t.deepEqual(unexplained(taken('a', 1, 9_300), taken('a', 2, 9_500), taken('a', 1, 12_000)), [1, 1]);
});

test('a repeat of what was answered long before a kill is not, nor is one that came before it', (t) => {
  t.deepEqual(unexplained(taken('a', 1, 4_000), taken('a', 1, 12_000)), [1, 1]);
  t.deepEqual(unexplained(taken('a', 1, 9_000), taken('a', 1, 9_500)), [1, 1]);
});

import test from 'ava';
import { unexplainedRepeats, wasLastOrInFlight } from './in-flight.ts';
import type { DoorLine } from './platform.ts';

const kill = { at: 10_000, goneAt: 10_010 };
const ofPod = { ...kill, address: '10.0.0.7' };

/** An item that was taken and answered at a moment, from an address. */
const taken = (at: number, caller = ofPod.address): DoorLine => ({
  seq: at,
  at,
  caller,
  integration: 'park',
  kind: 'observation',
  outcome: 'stored',
  status: 200,
  answered: true,
  answered_at: at,
  item: { source: 'a', additional: { altitude: 1 } },
});

const again = taken(12_000, '10.0.0.8');
const explains = (by: typeof kill, before: DoorLine): boolean => unexplainedRepeats([before, again], [by]).length === 0;

test('a repeat of what was answered at a kill is explained, one of what was answered long before is not', (t) => {
  for (const each of [kill, ofPod]) {
    t.true(explains(each, taken(9_950)));
    t.false(explains(each, taken(9_800)));
  }
});

test('a kill whose address is known explains no call of another', (t) => {
  t.false(explains(ofPod, taken(9_950, '10.0.0.8')));
  t.true(explains(kill, taken(9_950, '10.0.0.8')));
});

test('the platform may learn late of a call whose sender is known to be gone, and of no other', (t) => {
  t.true(explains(ofPod, taken(10_500)));
  t.false(explains(kill, taken(10_500)));
  t.false(explains(ofPod, taken(11_100)));
});

/** The n-th item of the source, taken and answered at a moment. */
const numbered = (n: number, at: number, caller?: string): DoorLine => ({
  ...taken(at, caller),
  item: { source: 'a', additional: { altitude: n } },
});

const unexplained = (...lines: readonly DoorLine[]) => [
  unexplainedRepeats(lines, [ofPod]).length,
  unexplainedRepeats(lines, [ofPod], wasLastOrInFlight(lines)).length,
];

test('a repeat of the last call of its source before a kill is explained, where the sender may have been held up', (t) => {
  t.deepEqual(unexplained(numbered(1, 9_300), numbered(1, 12_000, '10.0.0.8')), [1, 0]);
});

test('a repeat of what came before the last call of its source is not', (t) => {
  t.deepEqual(unexplained(numbered(1, 9_300), numbered(2, 9_500), numbered(1, 12_000)), [1, 1]);
});

test('a repeat of what was answered long before a kill is not, nor is one that came before it or is of another sender', (t) => {
  t.deepEqual(unexplained(numbered(1, 4_000), numbered(1, 12_000)), [1, 1]);
  t.deepEqual(unexplained(numbered(1, 9_000), numbered(1, 9_500)), [1, 1]);
  t.deepEqual(unexplained(numbered(1, 9_300, '10.0.0.8'), numbered(1, 12_000)), [1, 1]);
});

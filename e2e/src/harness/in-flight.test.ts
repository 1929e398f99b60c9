import test from 'ava';
import { unexplainedRepeats } from './in-flight.ts';
import type { IngestLogLine } from './platform.ts';

const kill = { at: 10_000, goneAt: 10_010 };
const ofPod = { ...kill, address: '10.0.0.7' };

/** The n-th item of the source, taken and answered at a moment, from an address. */
const taken = (n: number, at: number, caller = ofPod.address): IngestLogLine => ({
  seq: at,
  request: at,
  at,
  caller,
  integration: 'park',
  kind: 'observation',
  outcome: 'stored',
  status: 200,
  answered: true,
  answered_at: at,
  item: { source: 'a', additional: { altitude: n } },
});

const again = taken(1, 12_000, '10.0.0.8');
const explains = (by: typeof kill, ...before: readonly IngestLogLine[]): boolean =>
  unexplainedRepeats([...before, again], [by]).length === 0;

/** Response at this moment, and the next event of its source. */
const withNext = (at: number, caller?: string): readonly IngestLogLine[] => [
  taken(1, at, caller),
  taken(2, at + 20, caller),
];

test('a repeat of what was answered at a kill is explained, one of what was answered before what came next is not', (t) => {
  for (const each of [kill, ofPod]) {
    t.true(explains(each, ...withNext(9_950)));
    t.false(explains(each, ...withNext(9_800)));
  }
});

test('a kill whose address is known explains no call of another', (t) => {
  t.false(explains(ofPod, ...withNext(9_950, '10.0.0.8')));
  t.true(explains(kill, ...withNext(9_950, '10.0.0.8')));
  t.false(explains(ofPod, taken(1, 9_300, '10.0.0.8')));
});

test('the platform may learn late of a call whose sender is known to be gone, and of no other', (t) => {
  t.true(explains(ofPod, ...withNext(10_500)));
  t.false(explains(kill, ...withNext(10_500)));
  t.false(explains(ofPod, ...withNext(11_100)));
});

test('a repeat of the last call of its source before a kill is explained, however long its sender was held up', (t) => {
  t.true(explains(ofPod, taken(1, 9_300)));
  t.true(explains(ofPod, taken(1, 6_000)));
});

test('a repeat of what was answered many seconds before a kill is not explained, nor one that came before it', (t) => {
  t.false(explains(ofPod, taken(1, 4_000)));
  t.is(unexplainedRepeats([taken(1, 9_000), taken(1, 9_500)], [ofPod]).length, 1);
});

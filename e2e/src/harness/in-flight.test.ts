import test from 'ava';
import { unexplainedRepeats } from './in-flight.ts';
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

import type { BusRecord } from '@ranger-relay/bus';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { readEntry } from './entry.ts';
import { entry } from './test/world.ts';

const record = (value: string | Uint8Array): BusRecord => ({
  topic: 'integration-events',
  partition: 0,
  offset: 1n,
  key: 'k',
  value: typeof value === 'string' ? Buffer.from(value) : value,
  headers: {},
  timestamp: 77,
});

test('an entry is read with its time', (t) => {
  const timed = readEntry(record(JSON.stringify(entry(5))));
  t.is(timed?.at, Date.UTC(2026, 0, 1) + 5_000);
  t.deepEqual(timed?.entry, entry(5));
});

test('an entry whose time nobody can read takes that of its record', (t) => {
  t.is(readEntry(record(JSON.stringify({ ...entry(5), timestamp: 'noon' })))?.at, 77);
});

test('members that this version does not know stay in the payload', (t) => {
  t.is(readEntry(record(JSON.stringify(entry(1, { more: 1 }))))?.entry.payload['more'], 1);
});

testProp('no bytes make reading fail', [fc.uint8Array({ maxLength: 200 })], (t, bytes) => {
  t.is(readEntry(record(bytes)), null);
});

testProp('no JSON makes reading fail', [fc.jsonValue()], (t, value) => {
  t.is(readEntry(record(JSON.stringify(value))), null);
});

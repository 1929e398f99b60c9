import { fc, testProp } from '@fast-check/ava';
import type { BusRecord } from '@ranger-relay/bus';
import { createPaint } from '@ranger-relay/terminal';
import test from 'ava';
import { type ActivityEntry, entryLine, entryText, readEntry } from './format.ts';
import { entry } from './test/harness.ts';

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

const line = (timed: ActivityEntry, coloured = false): string =>
  entryLine({ at: 0, entry: timed }, createPaint(coloured));

test('the level is that of the entry, else of its type', (t) => {
  t.regex(line(entry(1, { level: 10 })), /DEBUG/);
  t.regex(line(entry(1, { level: 30 })), /WARN/);
  t.regex(line(entry(1, { level: 40 })), /ERROR/);
  t.regex(line({ ...entry(1), event_type: 'IntegrationWebhookFailed' }), /ERROR/);
  t.regex(line({ ...entry(1), event_type: 'IntegrationWebhookStarted' }), /INFO/);
});

test('warnings and errors stand out on a terminal', (t) => {
  t.true(line(entry(1, { level: 40 }), true).includes('\u001B[31mERROR'));
  t.true(line(entry(1, { level: 30 }), true).includes('\u001B[33mWARN'));
});

test('an entry of no integration has a dash in its place', (t) => {
  t.regex(line(entry(1, { integration_id: null })), / {2}– {2}/);
});

test('title, result, error and data follow one another', (t) => {
  const payload = { title: 'SOS declared', data: { imei: '3', sos: 'declared' }, error: 'late', result: null };
  t.is(entryText({ at: 0, entry: entry(1, payload) }), 'SOS declared · late · imei=3 sos=declared');
});

test('an entry of an action names it', (t) => {
  const failed = { ...entry(1, { action_id: 'pull_events', error: 'late' }), event_type: 'IntegrationActionFailed' };
  t.is(entryText({ at: 0, entry: failed }), 'pull_events · late');
});

test('long values are cut', (t) => {
  t.true(entryText({ at: 0, entry: entry(1, { data: { text: 'x'.repeat(5_000) } }) }).length < 300);
});

test('values of any shape give a text', (t) => {
  for (const data of [1, true, [1, 2], { a: { b: [1] } }, { a: undefined }, 'x', []])
    t.is(typeof entryText({ at: 0, entry: entry(1, { data }) }), 'string');
});

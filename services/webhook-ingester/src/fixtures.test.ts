import test from 'ava';
import { fc, testProp } from '@fast-check/ava';
import { body, noFixPoint, startMs, text, wire, type Wire } from './test/events.ts';
import { post, start, harness, headersOf } from './test/harness.ts';

const sentAt = startMs - 60_000;
const without = (...names: string[]): Wire =>
  Object.fromEntries(Object.entries(wire()).filter(([name]) => !names.includes(name)));
const nulls = Object.fromEntries(Object.keys(wire()).map((name) => [name, null]));
const binary = { point: undefined, status: { lowBattery: 0 }, payload: 'aGVsbG8=', messageCode: 66 };

/** Rows of the fixture list of the device contract, section 8: events, then observations, messages and rejected events. */
const rows: readonly (readonly [string, string, readonly unknown[], number, number, number])[] = [
  ['plain 2.0', '2.0', [without('payload', 'transportMode')], 1, 0, 0],
  [
    '3.0 over the internet',
    '3.0',
    [wire({ imei: '300434030000000,300434030000001', transportMode: 'Internet' })],
    1,
    0,
    0,
  ],
  [
    'media of 3 MB',
    '4.0',
    [text('a', { mediaBytes: 'A'.repeat(3_000_000), mediaId: 'm', mediaType: 'image/avif' })],
    1,
    1,
    0,
  ],
  ['binary with a time', '4.0', [wire(binary)], 0, 0, 0],
  ['binary without a time', '3.0', [wire({ ...binary, timeStamp: undefined })], 0, 0, 0],
  ['all nulls', '3.0', [{ ...nulls, imei: '1', messageCode: 3 }], 0, 1, 0],
  ['all omitted', '3.0', [{ imei: '1', messageCode: 3 }], 0, 1, 0],
  ['an ISO time', '2.0', [wire({ timeStamp: new Date(sentAt).toISOString() })], 1, 0, 0],
  ['the heartbeat sender', '2.0', [text('Test', { imei: '300234010961140' })], 0, 0, 0],
  ['the year 1 time', '1.0', [text('Test', { timeStamp: -62_135_596_800_000 })], 0, 0, 0],
  ['0,0 at -422 m', '2.0', [wire({ point: noFixPoint, status: { lowBattery: 2 } })], 0, 0, 0],
  ['a stale position', '2.0', [wire({ point: { latitude: 1, longitude: 2, gpsFix: 0 } })], 1, 0, 0],
  ['codes 1, 8, 20, 65 and 3099', '3.0', [1, 8, 20, 65, 3099].map((messageCode) => wire({ messageCode })), 5, 0, 0],
  ['SOS with a fix', '3.0', [4, 6, 7].map((messageCode) => wire({ messageCode })), 3, 0, 0],
  ['SOS without a fix', '3.0', [4, 6, 7].map((messageCode) => wire({ messageCode, point: noFixPoint })), 0, 3, 0],
  [
    '9 events of several devices in disorder',
    '3.0',
    [5, 1, 9, 3, 7, 2, 8, 4, 6].map((n) => wire({ imei: String(n % 3), timeStamp: sentAt - n })),
    9,
    0,
    0,
  ],
  ['one bad event of three', '3.0', [wire(), wire({ timeStamp: 'x' }), wire()], 2, 0, 1],
];

for (const [name, version, events, observations, messages, rejected] of rows)
  test(`${name}: ${observations} observations, ${messages} messages, ${rejected} rejected`, async (t) => {
    const w = harness(t);
    const { status, json } = await post(w, body(events, version));
    t.is(status, 200);
    t.like(json, { total_observations: observations, total_messages: messages });
    t.is(((json['rejected'] ?? []) as unknown[]).length, rejected);
    t.false(JSON.stringify(w.events()).includes('AAAA'));
  });

test('floats arrive as they were sent', async (t) => {
  const w = harness(t);
  const event = JSON.stringify(wire()).replace('-1.28612', '-1.2861200000001').replace('58.665', '0.1');
  await post(w, `{"Version":"2.0","Events":[${event}]}`);
  const [record] = w.events();
  t.is(record?.observation?.location.lat, -1.2861200000001);
  t.is(record?.observation?.additional['speed'], 0.1);
});

test('the order of a device within a body is kept', async (t) => {
  const w = harness(t);
  await post(w, body([3, 1, 2].map((n) => wire({ timeStamp: sentAt - n }))));
  t.deepEqual(
    w.events().map(({ observation }) => Date.parse(observation?.recorded_at ?? '')),
    [3, 1, 2].map((n) => sentAt - n),
  );
});

test('the same POST twice, in parallel and regrouped gives the same ids', async (t) => {
  const w = harness(t);
  const events = [wire(), text('a'), wire({ imei: '2' })];
  await Promise.all([post(w, body(events)), post(w, body(events))]);
  await post(w, body([events[2], events[0]]));
  await post(w, body([events[1]]));
  t.is(w.events().length, 9);
  t.is(new Set(w.events().map(({ event_id }) => event_id)).size, 3);
});

test('both paths are served without a redirect', async (t) => {
  const port = await start(t, harness(t));
  for (const path of ['/webhooks', '/webhooks/']) {
    const init: RequestInit = { method: 'POST', headers: headersOf({}), body: body([wire()]), redirect: 'manual' };
    t.is((await fetch(`http://127.0.0.1:${port}${path}`, init)).status, 200);
  }
});

const odd = fc.oneof(fc.jsonValue(), fc.constant(wire({ imei: '' })), fc.constant({ ...wire(), timeStamp: 'x' }));

testProp(
  'a good event is stored whatever stands beside it',
  [fc.array(odd, { maxLength: 8 }), fc.nat(8)],
  async (t, others, at) => {
    const ends: (() => void | Promise<void>)[] = [];
    const w = harness({ teardown: (end) => void ends.push(end) });
    const mine = text('mine', { imei: '777' });
    const { status } = await post(w, body([...others.slice(0, at), mine, ...others.slice(at)]));
    t.is(status, 200);
    t.is(w.events().filter(({ source, message }) => source === '777' && message?.text === 'mine').length, 1);
    for (const end of ends) await end();
  },
);

testProp('any body gets a defined answer', [fc.oneof(fc.string(), fc.json(), fc.uint8Array())], async (t, content) => {
  const ends: (() => void | Promise<void>)[] = [];
  const w = harness({ teardown: (end) => void ends.push(end) });
  const bytes = typeof content === 'string' ? content : new Uint8Array(content);
  const { status, json } = await post(w, bytes);
  t.is(status, 200);
  t.is(typeof json['total_observations'], 'number');
  for (const end of ends) await end();
});

import { replayHeaders } from '@ranger-relay/bus';
import type { OutboundMessage } from '@ranger-relay/contracts';
import test from 'ava';
import { appHarness } from '../test/app-harness.ts';
import { answer, coded, endings } from '../test/vendor.ts';
import { imeiA, integrationId, messageTo } from '../test/harness.ts';

const hour = 3_600_000;
const attributes = { destination_id: integrationId, delivery_id: 'd1' };
const message = (more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  v: 1,
  attributes,
  data: messageTo([imeiA]),
  ...more,
});

test('a record is sent once, however often it is delivered', async (t) => {
  const w = await appHarness(t);
  t.deepEqual(await w.consumed(message()), { kind: 'done' });
  t.deepEqual(await w.consumed(message()), { kind: 'done' });
  t.deepEqual(await w.consumed(message(), { offset: 2 }), { kind: 'done' });
  t.deepEqual(w.vendor.texts, [imeiA]);
  t.is(w.kinds().filter((kind) => kind === 'Message Delivered').length, 1);
});

test('a text that was pushed and then comes on the topic is not sent again', async (t) => {
  const w = await appHarness(t);
  await w.push([imeiA]);
  await w.consumed(message());
  t.deepEqual(w.vendor.texts, [imeiA]);
});

test('each key waits alone, one record at a time', async (t) => {
  const { outbound } = await appHarness(t);
  t.is(outbound?.lane, 'key');
  t.is(outbound?.maxBatch, 1);
  t.is(outbound?.deadLetterKind, 'push_message');
});

test('what a repeat can help waits, longer each time, with one Failed event for each try', async (t) => {
  const w = await appHarness(t, [answer(503), answer(503), answer(503)]);
  const waits: number[] = [];
  for (const attempt of [0, 4, 30]) {
    const outcome = await w.consumed(message(), { attempt });
    waits.push(outcome?.kind === 'retry' ? outcome.afterMs : -1);
  }
  const [first = 0, later = 0, last = 0] = waits;
  t.true(first >= 2_000 && first <= 4_000, String(first));
  t.true(later >= 32_000 && later <= 34_000, String(later));
  t.true(last >= 600_000 && last <= 602_000, String(last));
  t.deepEqual(w.kinds(), ['Started', 'Failed', 'Started', 'Failed', 'Started', 'Failed']);
  t.is(w.letters().length, 0);
  t.deepEqual(await w.consumed(message()), { kind: 'done' });
});

test('a text of a newer version waits for that version, is told, and is a dead letter only when it is too old', async (t) => {
  const w = await appHarness(t);
  const newer = JSON.stringify({ v: 2, to: [imeiA], words: 'Return to camp' });
  for (const attempt of [0, 1, 7]) t.is((await w.consumed(newer, { attempt }))?.kind, 'retry');
  t.true(w.lines.some((line) => JSON.stringify(line).includes('a text waits for a newer version')));
  t.false(JSON.stringify(w.lines).includes('Return to camp'));
  t.like(await w.consumed(newer, { timestamp: Date.now() - 25 * hour }), {
    kind: 'dead',
    letter: { kind: 'push_message', reason: 'record_newer', integrationId },
  });
  t.deepEqual(w.vendor.texts, []);
});

test('the vendor’s wait is kept', async (t) => {
  const w = await appHarness(t, [coded(429, 2, { 'retry-after': '120' })]);
  const outcome = await w.consumed(message());
  t.true(outcome?.kind === 'retry' && outcome.afterMs >= 120_000);
});

test('a refused text is done with its dead letter, which says where it came from', async (t) => {
  const w = await appHarness(t, [coded(422, 4)]);
  const timestamp = Date.now() - hour;
  t.deepEqual(await w.consumed(message(), { offset: 17, timestamp }), { kind: 'done' });
  t.is(w.letters().length, 1);
  t.like(w.letters()[0], {
    reason: 'vendor_refused',
    origin: { topic: 'outbound-messages', partition: 0, offset: '17' },
    received_at: new Date(timestamp).toISOString(),
  });
});

test('a replayed text that is refused again is the same dead letter, with one more attempt', async (t) => {
  const w = await appHarness(t, [coded(422, 4)]);
  await w.consumed(message(), { headers: replayHeaders({ id: 'letter-1', attempts: 1 }) });
  t.like(w.letters()[0], { id: 'letter-1', attempts: 2 });
});

test('a text that fails after PUSH_MAX_AGE_H on the topic is given up by the ledger, once', async (t) => {
  const w = await appHarness(t, [answer(503)]);
  const timestamp = Date.now() - 24 * hour - 1_000;
  t.deepEqual(await w.consumed(message(), { timestamp }), { kind: 'done' });
  t.deepEqual(
    w.letters().map(({ reason }) => reason),
    ['push_expired'],
  );
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
  t.is(w.entryOf(imeiA)?.state, 'failed');
});

for (const store of ['there', 'away'])
  test(`a text that is older than PUSH_MAX_AGE_H is never sent, with the store ${store}`, async (t) => {
    const w = await appHarness(t);
    w.state.away = store === 'away';
    const timestamp = Date.now() - 24 * hour - 1_000;
    t.deepEqual(await w.consumed(message(), { timestamp }), { kind: 'done' });
    t.deepEqual(w.vendor.texts, []);
    t.like(w.letters(), [{ reason: 'push_expired', attempts: 0 }]);
    t.deepEqual(w.kinds(), ['Started', 'Failed']);
  });

test('what has nothing to do with the vendor and fails for so long is given up too', async (t) => {
  const w = await appHarness(t);
  w.platform.down = true;
  t.is((await w.consumed(message(), { timestamp: Date.now() - 23 * hour }))?.kind, 'retry');
  const outcome = await w.consumed(message(), { timestamp: Date.now() - 25 * hour });
  t.like(outcome, { kind: 'dead', letter: { kind: 'push_message', integrationId, reason: 'push_expired' } });
});

test('a disabled integration is one dead letter, and an unknown one too', async (t) => {
  const w = await appHarness(t);
  w.platform.enabled = false;
  t.like(await w.consumed(message()), { kind: 'dead', letter: { reason: 'integration_disabled', integrationId } });
  w.platform.known = false;
  t.like(await w.consumed(message(), { offset: 2 }), { kind: 'dead', letter: { reason: 'integration_unknown' } });
  t.deepEqual([w.letters(), w.entries, w.vendor.texts], [[], [], []]);
});

test('what is no message is a dead letter', async (t) => {
  const w = await appHarness(t);
  for (const value of ['nonsense', '{"v":0}', '{"v":1,"attributes":{},"data":[]}'])
    t.like(await w.consumed(value), { kind: 'dead', letter: { kind: 'push_message', reason: 'record_unreadable' } });
});

test('the key names the integration when the attributes do not', async (t) => {
  const w = await appHarness(t);
  t.deepEqual(await w.consumed(message({ attributes: { delivery_id: 'd1' } })), { kind: 'done' });
  t.deepEqual(w.vendor.texts, [imeiA]);
});

test('an integration that a key names in upper case is the same integration', async (t) => {
  const w = await appHarness(t);
  const id = 'ffffffff-fe05-4164-b03d-206cd50fd15a';
  t.like(await w.consumed('nonsense', { key: `${id.toUpperCase()}:x` }), {
    kind: 'dead',
    letter: { integrationId: id },
  });
});

test('hold: a text whose call has no known end is held when it comes again', async (t) => {
  const w = await appHarness(t, [endings.reset], { PUSH_AMBIGUOUS: 'hold' });
  t.is((await w.consumed(message()))?.kind, 'retry');
  t.deepEqual(await w.consumed(message(), { attempt: 1 }), { kind: 'done' });
  t.deepEqual([w.vendor.texts, w.letters().map(({ reason }) => reason)], [[imeiA], ['ambiguous']]);
});

test('many devices of an integration at once are sent one after the other, and none is turned away', async (t) => {
  const w = await appHarness(t);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      w.consumed(message({ attributes: { ...attributes, delivery_id: `d${n}` } }), { offset: n }),
    ),
  );
  t.deepEqual(new Set(outcomes.map((outcome) => outcome?.kind)), new Set(['done']));
  t.is(w.vendor.texts.length, 60);
});

test('a clock that is days ahead of the platform’s makes no text on the topic too old', async (t) => {
  const w = await appHarness(t);
  w.platform.aheadMs = -3 * 24 * hour;
  const timestamp = Date.now() - 3 * 24 * hour;
  w.platform.down = true;
  t.is((await w.consumed(message(), { timestamp }))?.kind, 'retry');
  t.is((await w.consumed(JSON.stringify({ v: 2 }), { timestamp }))?.kind, 'retry');
  w.platform.down = false;
  t.deepEqual(await w.consumed(message(), { timestamp }), { kind: 'done' });
  t.deepEqual(w.vendor.texts, [imeiA]);
});

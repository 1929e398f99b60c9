import type { OutgoingRecord } from '@ranger-relay/bus';
import type { DeadLetter } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { account, bodyOf, imeiA, imeiB, integrationId, messageTo, harness, type Harness } from '../test/harness.ts';
import type { PushInput } from './dependencies.ts';
import { replayPush } from './replay.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const recordsOf = async (texts: ReturnType<typeof replayPush>): Promise<OutgoingRecord[]> =>
  (await texts).map(({ record }) => record);

const replay = (w: Harness, index = 0): Promise<OutgoingRecord[]> => {
  const letter = w.letters[index]?.letter;
  if (!letter) throw new Error('no letter');
  return recordsOf(replayPush(letter, { ...w, idAttribute: 'delivery_id' }));
};

/** Delivers a record of `outbound-messages`. */
const deliverRecord = (w: Harness, { value }: OutgoingRecord) => {
  const { attributes, data } = JSON.parse(String(value)) as Pick<PushInput, 'attributes' | 'data'>;
  return w.deliver([], { attributes, data, messageId: null });
};

test('a replayed refusal resets the entry and sends the text once, however often its record is delivered', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  await w.deliver([imeiA, imeiB], { attributes: {} });
  w.script = () => outcomes.accepted();
  const [record, ...more] = await replay(w);
  t.deepEqual([record?.key, more.length], [`${integrationId}:${imeiA}`, 0]);
  t.like(w.entryOf(imeiA, 'event-1'), { state: 'pending', attempts: 0 });
  if (!record) return t.fail();
  t.deepEqual(bodyOf(await deliverRecord(w, record)).accepted, [imeiA]);
  await deliverRecord(w, record);
  t.deepEqual(w.called(), [imeiA, imeiB, imeiA]);
});

test('one delivery id for two vendor accounts is two texts: each is sent by its own account, a replay too', async (t) => {
  const w = harness();
  const other = '22222222-2222-4222-8222-222222222222';
  const otherAccount = { ...account, username: 'other@site.org' };
  const toOther = {
    integrationId: other,
    auth: otherAccount,
    attributes: { destination_id: other, delivery_id: 'd1' },
  };
  w.script = ({ config }) => (config.username === account.username ? outcomes.refused() : outcomes.accepted());
  await w.deliver([imeiA]);
  t.deepEqual(bodyOf(await w.deliver([imeiA], toOther)).accepted, [imeiA]);
  w.script = () => outcomes.accepted();
  const [record] = await replay(w);
  if (!record) return t.fail();
  t.is(record.key, `${integrationId}:${imeiA}`);
  t.deepEqual(bodyOf(await deliverRecord(w, record)).accepted, [imeiA]);
  t.deepEqual(
    w.calls.map(({ config }) => config.username),
    [account.username, otherAccount.username, account.username],
  );
});

test('a replayed held text is sent', async (t) => {
  const w = harness({ ambiguous: 'hold' });
  w.script = () => outcomes.lost();
  await w.deliver([imeiA]);
  await w.deliver([imeiA]);
  w.script = () => outcomes.accepted();
  const [record] = await replay(w);
  if (!record) return t.fail();
  t.deepEqual(bodyOf(await deliverRecord(w, record)).accepted, [imeiA]);
  t.is(w.calls.length, 2);
});

/** What is kept of an envelope that was refused before the action ran. */
const envelopeLetter = (data: unknown): DeadLetter => ({
  v: 1,
  id: 'letter-1',
  kind: 'push_message',
  integration_id: integrationId,
  reason: 'integration_disabled',
  detail: '',
  received_at: '2026-01-01T00:00:00.000Z',
  failed_at: '2026-01-01T00:00:00.000Z',
  attempts: 1,
  origin: null,
  headers: { traceparent },
  body_base64: Buffer.from(
    JSON.stringify({
      message: {
        data: Buffer.from(JSON.stringify(data)).toString('base64'),
        attributes: { destination_id: integrationId, stream_type: 'txt' },
        messageId: 'm1',
      },
      subscription: 's',
    }),
  ).toString('base64'),
});

test('what an integration missed while it was disabled is a record for each device', async (t) => {
  const w = harness();
  const letter = envelopeLetter(messageTo([imeiA, imeiB]));
  const records = await recordsOf(replayPush(letter, { ...w, idAttribute: 'delivery_id' }));
  t.deepEqual(
    records.map(({ key, headers }) => [key, headers]),
    [imeiA, imeiB].map((imei) => [`${integrationId}:${imei}`, { traceparent }]),
  );
  for (const record of records) await deliverRecord(w, record);
  t.deepEqual(w.called(), [imeiA, imeiB]);
  t.deepEqual(Object.keys(JSON.parse(String(records[0]?.value)).attributes as object), [
    'destination_id',
    'stream_type',
    'delivery_id',
  ]);
});

test('a letter that keeps only the start, that names no integration or no message, cannot be replayed', async (t) => {
  const w = harness();
  const whole = envelopeLetter(messageTo([imeiA]));
  for (const letter of [
    { ...whole, truncated: true, bytes: 9_000_000 },
    { ...whole, integration_id: null },
    envelopeLetter('x'),
    { ...whole, body_base64: Buffer.from('nonsense').toString('base64') },
  ]) {
    const error = await t.throwsAsync(replayPush(letter, { ...w, idAttribute: 'delivery_id' }));
    t.true(isRelayError(error, 'dead_letter_not_replayable'), error?.message);
  }
});

test('a text that the vendor took in the meantime is not sent again', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  await w.deliver([imeiA]);
  w.script = () => outcomes.accepted();
  const [record] = await replay(w);
  if (!record) return t.fail();
  await deliverRecord(w, record);
  const error = await t.throwsAsync(replay(w));
  t.true(isRelayError(error, 'dead_letter_not_replayable'));
  t.regex(error?.message ?? '', /accepted the text in the meantime/);
});

test('a letter whose entry has expired is sent', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  await w.deliver([imeiA]);
  w.state.entries.clear();
  t.is((await replay(w)).length, 1);
});

test('what names no devices cannot be replayed', async (t) => {
  for (const data of ['x', { event_type: 'Other' }, messageTo([])]) {
    const w = harness();
    await w.deliver([], { data });
    const error = await t.throwsAsync(replay(w));
    t.true(isRelayError(error, 'dead_letter_not_replayable'), error?.message);
  }
});

test('without the store a replay fails and nothing is changed', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  await w.deliver([imeiA]);
  w.state.away = true;
  t.true(isRelayError(await t.throwsAsync(replay(w)), 'kv_unavailable'));
});

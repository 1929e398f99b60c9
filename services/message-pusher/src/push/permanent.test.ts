import { deadLetterSchema } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { bodyOf, imeiA, imeiB, integrationId, messageTo, textCanary, harness, type Harness } from '../test/harness.ts';

const contentOf = (w: Harness, index = 0): { attributes: Record<string, string>; data: ReturnType<typeof messageTo> } =>
  JSON.parse(Buffer.from(w.letters[index]?.letter.body_base64 ?? '', 'base64').toString());

test('a refused text is acknowledged with the code, told in one Failed event, and kept as a dead letter', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused(5);
  const result = await w.deliver([imeiA]);
  t.like(result, { outcome: 'failed', status: 200, facts: { transient: false, deadLettered: true } });
  t.deepEqual(bodyOf(result), {
    status: 'failed',
    accepted: [],
    failed: [{ recipient: imeiA, code: 5, error: 'Bad response — The vendor refuses the call: told so (HTTP 422)' }],
    unknown: [],
  });
  t.deepEqual(w.titles(), ['Failed']);
  t.like(w.entries[0]?.payload, {
    error: 'Bad response — The vendor refuses the call: told so (HTTP 422)',
    request_verb: 'POST',
    server_response_status: 422,
    server_response_body: 'what the vendor said',
    request_data: { delivery_id: 'd1', recipients: [imeiA] },
  });
  t.like(w.entryOf(imeiA), { state: 'failed', attempts: 1, status: 422, code: 5 });
});

test('the dead letter is one of the contract, for one device, under the same delivery id', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await w.deliver([imeiA, imeiB], { attributes: { traceparent }, messageId: 'm7' });
  t.is(w.letters.length, 2);
  const { key, letter } = w.letters[1] ?? t.fail();
  t.is(key, `${integrationId}:${imeiB}`);
  t.notThrows(() => deadLetterSchema.parse(letter));
  t.like(letter, {
    kind: 'push_message',
    integration_id: integrationId,
    reason: 'vendor_refused',
    attempts: 1,
    origin: null,
    headers: { traceparent },
  });
  const { attributes, data } = contentOf(w, 1);
  t.like(attributes, { destination_id: integrationId, delivery_id: 'event-1', traceparent });
  t.deepEqual(data, messageTo([imeiB]));
});

test('one bad device does not keep the text from the others', async (t) => {
  const w = harness();
  const result = bodyOf(await w.deliver(['ranger', imeiA, null]));
  t.deepEqual(w.called(), [imeiA]);
  t.deepEqual(result.accepted, [imeiA]);
  t.deepEqual(
    result.failed.map(({ recipient, code }) => [recipient, code]),
    [
      ['ranger', 'text_invalid'],
      ['null', 'text_invalid'],
    ],
  );
  t.deepEqual(w.titles(), ['Message Delivered', 'Failed']);
  t.like(w.entryOf('ranger'), { state: 'failed', attempts: 0, code: 'text_invalid' });
});

const unusable: readonly (readonly [string, Parameters<Harness['deliver']>[1], string])[] = [
  ['an empty text', { data: messageTo([imeiA], { Message: '' }) }, 'text_invalid'],
  ['a text that is too long', { data: messageTo([imeiA], { Message: 'x'.repeat(161) }) }, 'text_invalid'],
  ['a bad sender', { data: messageTo([imeiA], { Sender: 'Ops' }) }, 'text_invalid'],
];
for (const [what, change, code] of unusable)
  test(`${what} is a permanent failure without a call`, async (t) => {
    const w = harness();
    const result = bodyOf(await w.deliver([imeiA], change));
    t.is(w.calls.length, 0);
    t.like(result.failed[0], { recipient: imeiA, code });
    t.like(w.letters[0]?.letter, { reason: code, attempts: 0 });
    t.deepEqual(w.titles(), ['Failed']);
    t.is(w.entryOf(imeiA)?.state, 'failed');
  });

test('data that names no devices is kept whole', async (t) => {
  const w = harness();
  const result = bodyOf(await w.deliver([], { data: { event_type: 'Other', x: 1 } }));
  t.like(result.failed[0], { recipient: null, code: 'push_data_invalid' });
  t.like(w.letters[0]?.letter, { reason: 'push_data_invalid', kind: 'push_message' });
  t.like(contentOf(w), { data: { event_type: 'Other', x: 1 } });
  t.deepEqual(w.titles(), ['Failed']);
});

test('a failed device is skipped when it is delivered again, and still reported', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused(4);
  await w.deliver([imeiA]);
  const again = bodyOf(await w.deliver([imeiA]));
  t.is(w.calls.length, 1);
  t.is(w.letters.length, 1);
  t.like(again.failed[0], { recipient: imeiA, code: 4 });
  t.regex(again.failed[0]?.error ?? '', /earlier delivery of the text was given up \(HTTP 422, code 4\)/);
});

const noBus = (): never => {
  throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
};

test('a failure whose dead letter cannot be stored is delivered again: it is never lost', async (t) => {
  for (const [recipient, change, calls] of [
    [imeiA, {}, 2],
    ['ranger', {}, 0],
  ] as const) {
    const w = harness();
    w.script = () => outcomes.refused();
    w.onLetter = noBus;
    t.like(await w.deliver([recipient], change), { outcome: 'transient', status: 500 });
    t.is(w.entryOf(recipient)?.state, 'pending');
    w.onLetter = () => undefined;
    t.is((await w.deliver([recipient], change)).outcome, 'failed');
    t.deepEqual([w.letters.length, w.calls.length], [1, calls]);
  }
});

test('data that is given up whole is delivered again while its dead letter cannot be stored', async (t) => {
  const w = harness();
  w.onLetter = noBus;
  t.like(await w.deliver([imeiA], { data: 'x' }), { outcome: 'transient', status: 500 });
  t.deepEqual(w.titles(), ['Failed']);
});

test('the letter is stored before the ledger says failed', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  const states: (string | undefined)[] = [];
  w.onLetter = () => void states.push(w.entryOf(imeiA)?.state);
  await w.deliver([imeiA]);
  t.deepEqual(states, ['sending']);
});

test('texts are in dead letters alone, credentials nowhere', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  const result = await w.deliver([imeiA, 'ranger']);
  const said = JSON.stringify([result, w.entries, w.lines, [...w.state.entries]]);
  t.false(said.includes('c4n4ry'));
  t.is(contentOf(w).data.payload.Message, textCanary);
  t.false(JSON.stringify(contentOf(w)).includes('c4n4ry-p4ss'));
});

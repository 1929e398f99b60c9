import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { sosOf } from './sos.ts';
import { letter, refusedEvent } from './test/world.ts';

const call = { imei: '300434030000001', messageCode: 4, timeStamp: 1 };

test('an event that the platform refused says that it is an SOS, and of which device', (t) => {
  const body = refusedEvent({ sos: 'declared' });
  const expected = { state: 'declared', source: body.source, event_id: body.event_id } as const;
  t.deepEqual(sosOf(letter({ body })), expected);
  t.deepEqual(sosOf(letter({ body, kind: 'observation' })), expected);
  t.is(sosOf(letter()), null);
});

test('an SOS that the webhook refused is told by its code', (t) => {
  const expected = { state: 'declared', source: call.imei, event_id: null } as const;
  t.deepEqual(sosOf(letter({ kind: 'webhook_event', body: call })), expected);
  const bodies = {
    Version: '2.0',
    Events: [
      { imei: '1', messageCode: 0 },
      { ...call, messageCode: '4' },
    ],
  };
  t.deepEqual(sosOf(letter({ kind: 'webhook_event', body: bodies })), expected);
  t.is(sosOf(letter({ kind: 'webhook_event', body: { ...call, messageCode: 0 } })), null);
});

test('a body that is no JSON, or was cut, may still hold an SOS', (t) => {
  const cut = JSON.stringify({ Events: [call] }).slice(0, -4);
  t.deepEqual(sosOf(letter({ kind: 'webhook_body', body: cut })), { state: 'declared', source: null, event_id: null });
});

testProp(
  'no body makes the look fail',
  [fc.jsonValue(), fc.constantFrom('message', 'webhook_event')],
  (t, body, kind) => {
    t.notThrows(() => sosOf({ kind, body_base64: Buffer.from(JSON.stringify(body)).toString('base64') }));
  },
);

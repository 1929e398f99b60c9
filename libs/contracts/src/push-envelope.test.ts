import test from 'ava';
import {
  integrationOfKey,
  outboundMessageKey,
  outboundMessageSchema,
  pushEnvelopeSchema,
  pushMessageOf,
} from './index.ts';

test('a message holds the attributes and the whole data of its push', (t) => {
  const message = { v: 1 as const, attributes: { destination_id: 'i' }, data: { event_type: 'X', payload: {} } };
  t.deepEqual(outboundMessageSchema.parse(message), message);
});

test('another version, and attributes that are no texts, are no message', (t) => {
  for (const value of [
    { v: 2, attributes: {}, data: {} },
    { v: 1, attributes: { a: 1 }, data: {} },
    { v: 1, attributes: {}, data: [] },
    null,
  ])
    t.false(outboundMessageSchema.safeParse(value).success);
});

test('the key names the integration and one device', (t) => {
  const key = outboundMessageKey('i', '300434030000000');
  t.is(key, 'i:300434030000000');
  t.is(integrationOfKey(key), 'i');
});

const read = (message: object, more: object = {}) =>
  pushMessageOf(pushEnvelopeSchema.parse({ message: { data: 'e30=', ...message }, ...more }));

test('either name of the message id is taken, also a number', (t) => {
  t.is(read({ messageId: '7' }).messageId, '7');
  t.is(read({ message_id: '8' }).messageId, '8');
  t.is(read({ message_id: 9 }).messageId, '9');
  t.is(read({ messageId: '7', message_id: '7' }).messageId, '7');
  t.is(read({}).messageId, undefined);
  t.is(read({ messageId: '' }).messageId, undefined);
});

test('attributes may be absent, and those that say nothing are left out', (t) => {
  t.deepEqual(read({}).attributes, {});
  t.deepEqual(read({ attributes: null }).attributes, {});
  t.deepEqual(read({ attributes: { a: 'x', b: 'None', c: '', d: 7, e: null, f: { g: 1 } } }).attributes, {
    a: 'x',
    d: '7',
  });
});

test('a sender that does not count deliveries is at its first', (t) => {
  t.is(read({}).attempt, 1);
  t.is(read({}, { deliveryAttempt: 3 }).attempt, 3);
  t.is(read({}, { deliveryAttempt: null }).attempt, 1);
});

test('what has no message with data is no envelope', (t) => {
  for (const bad of [null, [], 'x', {}, { message: null }, { message: {} }, { message: { data: 7 } }])
    t.false(pushEnvelopeSchema.safeParse(bad).success, JSON.stringify(bad));
});

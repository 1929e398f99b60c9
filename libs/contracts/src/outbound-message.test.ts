import test from 'ava';
import { integrationOfKey, outboundMessageKey, outboundMessageSchema } from './index.ts';

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

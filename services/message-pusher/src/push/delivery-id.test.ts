import test from 'ava';
import { deliveryIdOf } from './delivery-id.ts';

const origin = { topic: 'outbound-messages', partition: 3, offset: '17' };
const input = { attributes: {}, data: {}, messageId: null, origin: null };
const id = (change: Partial<Parameters<typeof deliveryIdOf>[0]>): string =>
  deliveryIdOf({ ...input, ...change }, 'delivery_id');

test('the attribute comes first, then the event id of the data, then the message id of the envelope', (t) => {
  const all = { attributes: { delivery_id: 'a' }, data: { event_id: 'e' }, messageId: 'm' };
  t.is(id(all), 'a');
  t.is(id({ ...all, attributes: {} }), 'e');
  t.is(id({ ...all, attributes: {}, data: {} }), 'm');
});

test('another attribute can be named', (t) => {
  t.is(deliveryIdOf({ ...input, attributes: { gundi_id: 'g', delivery_id: 'd' } }, 'gundi_id'), 'g');
});

test('nothing, as the platform writes it, is no id', (t) => {
  for (const none of ['None', '', '  ']) t.is(id({ attributes: { delivery_id: none }, data: { event_id: 'e' } }), 'e');
  t.is(id({ data: { event_id: 5 }, messageId: 'm' }), 'm');
});

test('without any id a record is known by its place, and a push by what it holds', (t) => {
  t.is(id({ origin }), 'outbound-messages:3:17');
  t.is(id({ data: { a: 1 } }), id({ data: { a: 1 } }));
  t.not(id({ data: { a: 1 } }), id({ data: { a: 2 } }));
  t.regex(id({ data: undefined }), /^sha256:[\da-f]{64}$/);
});

test('ids are of bounded length, and still told apart', (t) => {
  const [a, b] = ['a', 'b'].map((end) => id({ attributes: { delivery_id: 'x'.repeat(5_000) + end } }));
  t.true((a ?? '').length < 200);
  t.not(a, b);
});

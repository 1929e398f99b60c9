import { fc, testProp } from '@fast-check/ava';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { messageTo, harness } from '../test/harness.ts';
import { deliveryIdOf, type Push, readPush, traceParentOf } from './read-push.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const w3c = `00-${trace}-00f067aa0ba902b7-01`;
const cloud = `${trace}/67667974448284343;o=1`;

const traceRows: readonly (readonly [string, Readonly<Record<string, string>>, string | undefined])[] = [
  ['nothing', {}, undefined],
  ['traceparent', { traceparent: w3c }, w3c],
  ['traceparent in capitals', { TraceParent: w3c.toUpperCase() }, w3c],
  ['the cloud form', { 'x-cloud-trace-context': cloud }, w3c],
  ['the cloud form, not sampled', { 'x-cloud-trace-context': `${trace}/1;o=0` }, `00-${trace}-0000000000000001-00`],
  ['the cloud form without options', { 'x-cloud-trace-context': `${trace}/1` }, `00-${trace}-0000000000000001-00`],
  [
    'the largest span',
    { 'x-cloud-trace-context': `${trace}/18446744073709551615;o=1` },
    `00-${trace}-ffffffffffffffff-01`,
  ],
  ['a span that is too large', { 'x-cloud-trace-context': `${trace}/18446744073709551616;o=1` }, undefined],
  ['span 0', { 'x-cloud-trace-context': `${trace}/0;o=1` }, undefined],
  ['JSON with traceparent', { tracing_context: JSON.stringify({ traceparent: w3c }) }, w3c],
  ['JSON with the cloud form', { tracing_context: JSON.stringify({ 'x-cloud-trace-context': cloud }) }, w3c],
  [
    'both in JSON',
    { tracing_context: JSON.stringify({ 'x-cloud-trace-context': `${trace}/1`, traceparent: w3c }) },
    w3c,
  ],
  [
    'JSON before attributes',
    { tracing_context: JSON.stringify({ traceparent: w3c }), traceparent: w3c.replace('b7-', 'b8-') },
    w3c,
  ],
  ['JSON without a parent, then attributes', { tracing_context: '{}', traceparent: w3c }, w3c],
  ['a bad traceparent, then the cloud form', { traceparent: 'x', 'x-cloud-trace-context': cloud }, w3c],
  ['the word None', { tracing_context: 'None', traceparent: 'None' }, undefined],
  ['JSON that is no object', { tracing_context: '[1]' }, undefined],
  ['zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, undefined],
  ['an unknown version', { traceparent: w3c.replace('00-', 'ff-') }, undefined],
];
for (const [what, attributes, parent] of traceRows)
  test(`${what} gives ${parent ?? 'no parent'}`, (t) => {
    t.is(traceParentOf(attributes), parent);
  });

testProp(
  'whatever the attributes hold, the parent is well-formed or none',
  [fc.dictionary(fc.constantFrom('tracing_context', 'traceparent', 'x-cloud-trace-context'), fc.string())],
  (t, attributes) => {
    t.regex(traceParentOf(attributes) ?? w3c, /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/);
  },
);

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
  const uuid = 'ffffffff-fe05-4164-b03d-206cd50fd15a';
  t.is(id({ attributes: {}, data: { event_id: uuid.toUpperCase() } }), uuid);
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

const w = harness();
const read = (change: Parameters<typeof w.inputTo>[1], recipients: readonly unknown[] = ['1']): Push | RelayError =>
  readPush(w.inputTo(recipients, change), w.deps.settings, w.clock.now());

test('a message is read with its account, each device once', (t) => {
  const push = read({}, ['2', 1, '1']);
  if (push instanceof RelayError) return t.fail(push.message);
  t.deepEqual(push.recipients, ['2', '1']);
  t.is(push.deliveryId, 'd1');
  t.false(push.sending instanceof RelayError);
});

const unreadable: readonly (readonly [string, unknown, RegExp])[] = [
  ['no object', 'x', /no list of Recipients/],
  ['no payload', { event_type: 'MessageTransformed' }, /no list of Recipients/],
  ['recipients that are no list', messageTo(['1'], { Recipients: '1' }), /no list of Recipients/],
  ['no recipients', messageTo([]), /has no Recipients/],
  ['too many recipients', messageTo(Array.from({ length: 1_001 }, (_, n) => n)), /more than 1000/],
];
for (const [what, data, problem] of unreadable)
  test(`${what} is no message to devices`, (t) => {
    const push = read({ data });
    t.true(push instanceof RelayError && push.code === 'push_data_invalid');
    t.regex(push instanceof RelayError ? push.message : '', problem);
  });

test('a text that cannot be sent, or an account that is not there, keeps the devices', (t) => {
  const rows = [
    [{ data: messageTo(['1'], { Message: '' }) }, 'text_invalid', /Message is empty/],
    [{ auth: null }, 'push_unconfigured', /api_url/],
    [{ auth: { api_url: 'x', username: 'u' } }, 'push_unconfigured', /password/],
  ] as const;
  for (const [change, code, words] of rows) {
    const push = read(change);
    if (push instanceof RelayError || !(push.sending instanceof RelayError)) return t.fail(code);
    t.is(push.sending.code, code);
    t.regex(push.sending.message, words);
    t.deepEqual(push.recipients, ['1']);
  }
  return undefined;
});

import test from 'ava';
import { appHarness } from './test/app-harness.ts';
import { coded, endings } from './test/vendor.ts';
import { imeiA, imeiB, integrationId, messageTo } from './test/harness.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = `00-${trace}-00f067aa0ba902b7-01`;
const other = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test('a run is a span under the platform’s trace, with a child for each call', async (t) => {
  const w = await appHarness(t);
  const tracing_context = JSON.stringify({ 'x-cloud-trace-context': `${trace}/67667974448284343;o=1` });
  await w.push([imeiA, imeiB], { attributes: { tracing_context } }, { traceparent: other });
  const [first, second, run] = w.spans;
  t.deepEqual(
    w.spans.map(({ name }) => name),
    ['vendor.send', 'vendor.send', 'push_messages'],
  );
  t.like(run, { traceId: trace, parentId: '00f067aa0ba902b7', failure: undefined });
  for (const call of [first, second]) t.like(call, { traceId: trace, parentId: run?.spanId });
  for (const { attributes } of w.spans) t.deepEqual(attributes, { delivery_id: 'd1', destination_id: integrationId });
});

test('without a trace in the attributes the header’s is taken, and without both one is begun', async (t) => {
  const w = await appHarness(t);
  await w.push([imeiA], {}, { traceparent: parent });
  t.is(w.spans.at(-1)?.traceId, trace);
  await w.push([imeiA], { attributes: { delivery_id: 'd2' } }, { traceparent: 'nonsense' });
  t.is(w.spans.at(-1)?.parentId, undefined);
  const message = { v: 1 as const, attributes: { destination_id: integrationId }, data: messageTo([imeiB]) };
  await w.consumed(message, { headers: { traceparent: other } });
  t.is(w.spans.at(-1)?.traceId, 'a'.repeat(32));
});

test('failures are marked by their code; neither texts nor credentials nor answers enter a span', async (t) => {
  const w = await appHarness(t, [coded(422, 4), endings.reset]);
  await w.push([imeiA], { attributes: { delivery_id: 'd1' } });
  await w.push([imeiA], { attributes: { delivery_id: 'd2' } });
  await w.push([], { data: messageTo([], { Message: 'c4n4ry' }) });
  t.deepEqual(
    w.spans.map(({ name, failure }) => [name, failure]),
    [
      ['vendor.send', 'vendor_refused'],
      ['push_messages', 'vendor_refused'],
      ['vendor.send', 'vendor_answer_lost'],
      ['push_messages', 'vendor_answer_lost'],
      ['push_messages', 'push_data_invalid'],
    ],
  );
  for (const { attributes } of w.spans) t.deepEqual(Object.keys(attributes), ['delivery_id', 'destination_id']);
  t.false(JSON.stringify(w.spans).includes('c4n4ry'));
});

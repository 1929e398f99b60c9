import { recordingTracing } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { body, parkA, wire } from './test/events.ts';
import { post, harness } from './test/harness.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a POST is one span of the sender’s trace, and its records belong to it', async (t) => {
  const w = harness(t);
  const { tracing, spans } = recordingTracing(w.clock);
  Object.assign(w.context, { tracing });
  await post(w, body([wire()]), { headers: { traceparent: parent } });
  const [span] = spans;
  t.like(span, { name: 'webhook', traceId: parent.slice(3, 35), parentId: parent.slice(36, 52), failure: undefined });
  t.deepEqual(span?.attributes, { integration_id: parkA });
  t.is(w.bus.published[0]?.records[0]?.headers?.['traceparent'], `00-${span?.traceId}-${span?.spanId}-01`);
});

test('a POST that is not stored fails its span by the code', async (t) => {
  const w = harness(t);
  const { tracing, spans } = recordingTracing(w.clock);
  Object.assign(w.context, { tracing });
  w.bus.publish = () => Promise.reject(new Error('away'));
  await post(w, body([wire()]));
  t.is(spans.length, 1);
  t.truthy(spans[0]?.failure);
});

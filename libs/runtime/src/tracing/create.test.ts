import { RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { createLifecycle } from '../context.ts';
import { manualClock, recordingLogger, seededRandom, silentLogger } from '../testing/index.ts';
import { createTracing, outageTeller } from './create.ts';
import type { TracingConfig } from './env.ts';
import { noTracing } from './port.ts';
import { attributesOf, startCollector } from './test/collector.ts';

test('an outage of the collector is told of once, and so is its end', (t) => {
  const { log, lines } = recordingLogger();
  const tell = outageTeller(log);
  for (const taken of [true, false, false, false, true, true, false]) tell(taken);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['warn', 'info', 'warn'],
  );
});

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const open = (config: Partial<TracingConfig>, env: NodeJS.ProcessEnv = {}) => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const lifecycle = createLifecycle(silentLogger());
  const tracing = createTracing(config, {
    service: 'pusher',
    clock,
    random: seededRandom(1),
    log,
    lifecycle,
    env,
  });
  return { tracing, clock, lines, stop: () => lifecycle.stop() };
};

test('without a collector nothing is traced, nothing is loaded, and a trace parent is passed on', async (t) => {
  const { tracing } = open({});
  t.is(tracing, noTracing);
  t.is(await tracing.span('work', { parent }, async ({ traceparent }) => traceparent), parent);
  t.is(await tracing.span('work', {}, async ({ traceparent }) => traceparent), undefined);
});

test('a collector gets spans with their names, times, attributes and the trace they belong to', async (t) => {
  const collector = await startCollector(t);
  const { tracing, clock, stop } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const attributes = { delivery_id: 'd-1', tries: 2 };
  await tracing.span('push_messages', { parent, attributes }, async ({ traceparent }) => {
    await clock.advance(250);
    await tracing.span('vendor.send', { parent: traceparent }, () => clock.advance(1_000));
  });
  await stop();

  t.deepEqual(collector.services(), ['pusher']);
  const [child, outer] = collector.spans();
  t.like(outer, { name: 'push_messages', traceId: parent.slice(3, 35), parentSpanId: 'b7ad6b7169203331' });
  t.like(child, { name: 'vendor.send', traceId: parent.slice(3, 35), parentSpanId: outer?.spanId });
  t.deepEqual(attributesOf(outer?.attributes ?? []), attributes);
  t.is(BigInt(outer?.endTimeUnixNano ?? 0) - BigInt(outer?.startTimeUnixNano ?? 0), 1_250_000_000n);
  t.is(BigInt(outer?.startTimeUnixNano ?? 0), BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n);
});

test('spans go through the proxy of the environment', async (t) => {
  const proxy = await startCollector(t);
  const { tracing, stop } = open(
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' },
    { HTTP_PROXY: proxy.url },
  );
  await tracing.span('work', { parent }, async () => undefined);
  await stop();
  t.deepEqual(proxy.services(), ['pusher']);
});

test('a span tells of failure by the code alone', async (t) => {
  const collector = await startCollector(t);
  const { tracing, stop } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const thrown = new RelayError('kv_unavailable', { details: { reason: 'CANARY' } });
  await t.throwsAsync(
    tracing.span('a', {}, () => Promise.reject(thrown)),
    { is: thrown },
  );
  await t.throwsAsync(
    tracing.span('b', {}, () => Promise.reject(new Error('CANARY'))),
    { message: 'CANARY' },
  );
  t.is(await tracing.span('c', {}, async ({ fail }) => (fail('push_expired'), 5)), 5);
  await tracing.span('d', {}, async () => undefined);
  await stop();

  t.deepEqual(
    collector
      .spans()
      .map(({ status, attributes }) => [status.code, status.message, attributesOf(attributes)['error.type']]),
    [
      [2, 'kv_unavailable', 'kv_unavailable'],
      [2, 'internal', 'internal'],
      [2, 'push_expired', 'push_expired'],
      [0, undefined, undefined],
    ],
  );
  t.notRegex(collector.batches[0]?.text ?? '', /CANARY/);
});

test('no secret reaches a collector', async (t) => {
  const collector = await startCollector(t);
  const { tracing, stop } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const attributes = {
    url: 'https://me:CANARY@vendor.example/inbound?key=CANARY',
    api_key: 'CANARY',
    password: 'CANARY',
    long: 'x'.repeat(5_000),
  };
  await tracing.span('call', { attributes }, async () => undefined);
  await stop();
  t.notRegex(collector.batches[0]?.text ?? '', /CANARY|x{501}/);
  t.is(collector.spans().length, 1);
});

test('the whole address and the headers of the collector are used as they are set', async (t) => {
  const collector = await startCollector(t);
  const { tracing, stop } = open({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/spans`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=one%20two, x-other = three,broken',
  });
  await tracing.span('call', {}, async () => undefined);
  await stop();
  t.like(collector.batches[0], { path: '/spans', headers: { 'x-key': 'one two', 'x-other': 'three' } });
});

test('a trace that its caller does not record is passed on and not sent', async (t) => {
  const collector = await startCollector(t);
  const { tracing, stop } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const unrecorded = `${parent.slice(0, -2)}00`;
  const child = await tracing.span('work', { parent: unrecorded }, async ({ traceparent }) => traceparent);
  await stop();
  t.regex(child ?? '', /^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/);
  t.is(collector.batches.length, 0);
});

/** Work goes on at once, and the end waits two seconds and no longer. */
const harmless = async (t: ExecutionContext, url: string): Promise<void> => {
  const { tracing, clock, stop } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  for (let n = 0; n < 5_000; n += 1) t.is(await tracing.span('work', {}, async () => n), n);
  const stopped = stop();
  await clock.advance(2_000);
  await t.notThrowsAsync(stopped);
};

test('a collector that hangs delays nothing', async (t) => harmless(t, (await startCollector(t, 'hangs')).url));
test('a collector that is away delays nothing', (t) => harmless(t, 'http://127.0.0.1:1'));

test('a collector that refuses costs a line in the log', async (t) => {
  const collector = await startCollector(t, 'refuses');
  const { tracing, lines, stop } = open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await tracing.span('work', {}, async () => undefined);
  await stop();
  t.is(collector.batches.length, 1);
  t.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [['warn', 'the collector refuses spans; they are dropped until it accepts them']],
  );
});

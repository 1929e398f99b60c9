import { parseEnv, tracingEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { createContexts, measureReady } from './contexts.ts';

const create = () => {
  const contexts = createContexts({ ...parseEnv(tracingEnv, {}), LOG_LEVEL: 'silent' }, () => undefined);
  const [ingester, forwarder] = [contexts.of('webhook-ingester'), contexts.of('observation-forwarder')];
  return { contexts, ingester, forwarder };
};

test('what one service counts is shown by each', async (t) => {
  const { ingester, forwarder } = create();
  ingester.metrics.count('relay_webhook_requests_total', { status: '200' });
  t.regex(await forwarder.metrics.render(), /^relay_webhook_requests_total\{status="200"\} 1$/m);
});

test('no service is ready before everything has started', (t) => {
  const { contexts, ingester } = create();
  t.deepEqual(ingester.health.ready(), { ok: false, failing: ['everything has started'] });
  contexts.started();
  t.true(ingester.health.ready().ok);
});

test('the process is ready while all of its services are', async (t) => {
  const { contexts, ingester } = create();
  contexts.started();
  let ready = true;
  ingester.health.addReadiness({ name: 'bus', ok: () => ready });
  // As each service does for itself.
  ingester.metrics.onScrape(() => ingester.metrics.set('relay_ready', 1));
  measureReady(contexts);
  t.regex(await ingester.metrics.render(), /^relay_ready 1$/m);
  ready = false;
  t.regex(await ingester.metrics.render(), /^relay_ready 0$/m);
});

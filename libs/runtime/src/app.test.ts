import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { addHealthRoutes, baseApp } from './index.ts';
import { recordingLogger, testContext } from './testing/index.ts';

const canary = 'CANARY7f3a';

test('a registered error is answered with its status, code and sentence', async (t) => {
  const { log, lines } = recordingLogger();
  const app = baseApp(testContext({ log }));
  app.get('/big', () => {
    throw new RelayError('body_too_large', { details: { limit: 5 } });
  });
  const answer = await app.request('/big');
  t.is(answer.status, 413);
  t.is(answer.headers.get('retry-after'), null);
  t.deepEqual(await answer.json(), { detail: { code: 'body_too_large', error: 'The body is over 5 bytes' } });
  t.deepEqual(lines, []);
});

test('a wait that was asked for is told in whole seconds, never too early', async (t) => {
  const app = baseApp(testContext());
  app.get('/later', () => {
    throw new RelayError('too_busy', { retryAfterMs: 9_001 });
  });
  const answer = await app.request('/later');
  t.is(answer.status, 503);
  t.is(answer.headers.get('retry-after'), '10');
});

test('an unexpected error is logged whole and answered without a word of it', async (t) => {
  const { log, lines } = recordingLogger();
  const app = baseApp(testContext({ log }));
  app.get('/broken', () => {
    throw new TypeError(`of ${canary}`);
  });
  app.get('/wrapped', () => {
    throw new RelayError('internal', { cause: new Error(canary) });
  });
  for (const path of ['/broken', '/wrapped']) {
    const answer = await app.request(path);
    t.is(answer.status, 500);
    t.deepEqual(await answer.json(), { detail: { code: 'internal', error: 'An unexpected error occurred' } });
  }
  t.is(lines.length, 2);
  t.like(lines[0], { level: 'error', path: '/broken', err: { type: 'TypeError', message: `of ${canary}` } });
});

test('an unknown path is 404 with a body like every other error', async (t) => {
  const answer = await baseApp(testContext()).request('/nowhere');
  t.is(answer.status, 404);
  t.like(await answer.json(), { detail: { code: 'not_found' } });
});

test('paths answer with and without the last slash', async (t) => {
  const app = baseApp(testContext());
  app.post('/webhooks', (c) => c.json({}));
  for (const path of ['/webhooks', '/webhooks/']) t.is((await app.request(path, { method: 'POST' })).status, 200);
});

test('health answers 200 while it holds and 503 with the names of what fails', async (t) => {
  const context = testContext();
  const app = addHealthRoutes(baseApp(context), context);
  for (const path of ['/livez', '/readyz', '/livez/', '/readyz/']) t.is((await app.request(path)).status, 200, path);
  context.health.drain();
  context.health.addLiveness({ name: 'consumer', ok: () => false });
  const ready = await app.request('/readyz');
  t.is(ready.status, 503);
  t.deepEqual(await ready.json(), { status: 'not ready', failing: ['draining'] });
  const live = await app.request('/livez');
  t.is(live.status, 503);
  t.deepEqual(await live.json(), { status: 'failing', failing: ['consumer'] });
});

test('metrics are exposed as text', async (t) => {
  const context = testContext();
  context.metrics.count('relay_events_parked_total', {}, 3);
  const answer = await addHealthRoutes(baseApp(context), context).request('/metrics');
  t.regex(answer.headers.get('content-type') ?? '', /^text\/plain/);
  t.regex(await answer.text(), /^relay_events_parked_total 3$/m);
});

test('readiness is a metric too, as it is at the scrape', async (t) => {
  const context = testContext();
  const app = addHealthRoutes(baseApp(context), context);
  const shown = async (): Promise<string> => (await app.request('/metrics')).text();
  t.regex(await shown(), /^relay_ready 1$/m);
  context.health.drain();
  t.regex(await shown(), /^relay_ready 0$/m);
});

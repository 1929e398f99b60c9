import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { loopbackTls, manualClock } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import type { Access } from '../access/access.ts';
import type { KubeRequest } from '../api/transport.ts';
import { startApiServer } from '../testing/api-server/server.ts';
import { openAccess } from '../testing/open-access.ts';
import { gadget, gadgetsPath, startHarness } from '../test/harness.ts';
import { createHttpTransport } from './transport.ts';

const failure = async (t: ExecutionContext, work: Promise<unknown>): Promise<RelayError> => {
  const error = await t.throwsAsync(work);
  if (!isRelayError(error)) throw new Error(`no registered error: ${String(error)}`);
  return error;
};

const get: KubeRequest = { method: 'GET', path: `${gadgetsPath}/a` };
const post: KubeRequest = { method: 'POST', path: gadgetsPath, body: gadget('a') };

for (const [status, reason, code, next] of [
  [400, 'BadRequest', 'kube_refused', 'dead'],
  [401, 'Unauthorized', 'kube_unauthorized', 'alert'],
  [403, 'Forbidden', 'kube_forbidden', 'alert'],
  [404, 'NotFound', 'kube_not_found', 'skip'],
  [409, 'AlreadyExists', 'kube_exists', 'retry'],
  [409, 'Conflict', 'kube_conflict', 'retry'],
  [410, 'Gone', 'kube_version_gone', 'retry'],
  [415, 'UnsupportedMediaType', 'kube_refused', 'dead'],
  [422, 'Invalid', 'kube_refused', 'dead'],
  [429, 'TooManyRequests', 'kube_throttled', 'retry'],
  [500, 'InternalError', 'kube_unreachable', 'retry'],
  [503, 'ServiceUnavailable', 'kube_unreachable', 'retry'],
] as const)
  test(`the answer ${status} ${reason} is ${code}, and what comes next is ${next}`, async (t) => {
    const { server, transport } = await startHarness(t);
    server.faults.onRequest({ kind: 'status', status, reason });
    const error = await failure(t, transport.call(get));
    t.is(error.code, code);
    t.is(error.next, next);
    t.true(error.message.includes(`GET ${gadgetsPath}/a`), error.message);
  });

test('a wait that the server asks for is passed on, up to five minutes', async (t) => {
  const { server, transport } = await startHarness(t);
  for (const [retryAfter, ms] of [
    [7, 7_000],
    [100_000, 300_000],
  ] as const) {
    server.faults.onRequest({ kind: 'status', status: 429, retryAfter });
    t.is((await failure(t, transport.call(get))).retryAfterMs, ms);
  }
});

test('a write whose answer is lost is ambiguous, one that cannot have left is not, and no read is', async (t) => {
  const { server, transport } = await startHarness(t);
  server.faults.onRequest({ kind: 'lost' });
  const lost = await failure(t, transport.call(post));
  t.like(lost, { code: 'kube_unreachable', ambiguous: true });
  t.truthy(server.store.get('example.test/v1/gadgets', 'park/a'));
  server.faults.onRequest({ kind: 'reset' });
  t.like(await failure(t, transport.call(get)), { code: 'kube_unreachable', ambiguous: false });
  await server.goDown();
  t.like(await failure(t, transport.call(post)), { code: 'kube_unreachable', ambiguous: false });
});

test('half an answer is none', async (t) => {
  const { server, transport } = await startHarness(t);
  server.faults.onRequest({ kind: 'half' });
  t.like(await failure(t, transport.call(post)), { code: 'kube_unreachable', ambiguous: true });
});

test('a call ends when its time is over, and when its caller gives it up', async (t) => {
  const harness = await startHarness(t);
  harness.server.faults.onRequest({ kind: 'hold' }, { count: 2 });
  const late = failure(t, harness.transport.call(post));
  await harness.until(() => harness.server.held() === 1);
  await harness.pass(21_000, 1_000);
  t.like(await late, { code: 'kube_unreachable', ambiguous: true });
  t.regex((await late).message, /nothing within 20000 ms/);
  const controller = new AbortController();
  const given = harness.transport.call({ ...post, signal: controller.signal });
  await harness.until(() => harness.server.held() === 1);
  controller.abort(new Error('given up'));
  await t.throwsAsync(given, { message: 'given up' });
  await t.throwsAsync(harness.transport.call({ ...get, signal: controller.signal }), { message: 'given up' });
});

test('credentials that never come are waited for as long as an answer', async (t) => {
  const clock = manualClock();
  const access: Access = { ...openAccess('http://host'), credentials: () => new Promise(() => undefined) };
  const transport = createHttpTransport({ access, clock, userAgent: 'kit/test' });
  const late = failure(t, transport.call(post));
  await clock.advance(20_000);
  t.like(await late, { code: 'kube_unreachable', ambiguous: false });
});

test('what is no JSON is no answer', async (t) => {
  const { createServer } = await import('node:http');
  const proxy = createServer((_, response) => response.end('<html>login</html>'));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const address = proxy.address() as { port: number };
  const access = openAccess(`http://127.0.0.1:${address.port}`);
  const transport = createHttpTransport({ access, clock: manualClock(), userAgent: 'kit/test' });
  t.like(await failure(t, transport.call(get)), { code: 'kube_answer_unreadable' });
  t.like(await failure(t, transport.call(post)), { ambiguous: true });
  transport.close();
});

test('a refused login is tried with new credentials the next time', async (t) => {
  const server = await startApiServer({ token: 'new', tls: loopbackTls });
  t.teardown(() => server.close());
  let token = 'old';
  const access: Access = {
    ...openAccess(server.url),
    credentials: () =>
      Promise.resolve({ headers: { authorization: `Bearer ${token}` }, tls: { ca: loopbackTls.cert } }),
    refused: () => void (token = 'new'),
  };
  const transport = createHttpTransport({ access, clock: manualClock(), userAgent: 'kit/test' });
  t.teardown(() => transport.close());
  const list = { method: 'GET', path: '/api/v1/pods' } as const;
  const refused = await failure(t, transport.call(list));
  t.is(refused.code, 'kube_unauthorized');
  t.false(`${refused.message} ${JSON.stringify(refused)}`.includes('old'));
  t.like(await transport.call(list), { kind: 'PodList' });
});

test('a server whose certificate is not trusted is not spoken to', async (t) => {
  const server = await startApiServer({ tls: loopbackTls });
  t.teardown(() => server.close());
  const transport = createHttpTransport({
    access: openAccess(server.url),
    clock: manualClock(),
    userAgent: 'kit/test',
  });
  t.teardown(() => transport.close());
  const error = await failure(t, transport.call(post));
  t.like(error, { code: 'kube_unreachable', ambiguous: false });
  t.regex(error.message, /CERT|SIGNED/);
  t.is(server.requests.length, 0);
});

test('errors name no query and no body', async (t) => {
  const { server, transport } = await startHarness(t);
  server.faults.onRequest({ kind: 'status', status: 500 });
  const error = await failure(
    t,
    transport.call({ ...post, query: { labelSelector: 'canary=1' }, body: gadget('canary') }),
  );
  t.false(`${error.message} ${JSON.stringify(error)} ${error.stack}`.includes('canary'));
});

test('a stream is read until the server ends it, and breaks with its connection', async (t) => {
  const harness = await startHarness(t);
  const { server, transport } = harness;
  const query = { watch: 'true', resourceVersion: '1' };
  const ended = await transport.open({ method: 'GET', path: gadgetsPath, query });
  server.call('POST', gadgetsPath, gadget('a'));
  server.watches.end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of ended) chunks.push(chunk);
  t.regex(Buffer.concat(chunks).toString(), /"ADDED"/);
  const broken = await transport.open({ method: 'GET', path: gadgetsPath, query });
  const read = (async () => {
    for await (const _ of broken) void server.goDown();
  })();
  t.like(await failure(t, read), { code: 'kube_unreachable' });
});

test('a stream that is refused is an error before it begins', async (t) => {
  const { transport } = await startHarness(t);
  t.is(
    (await failure(t, transport.open({ method: 'GET', path: '/apis/example.test/v1/unknown' }))).code,
    'kube_not_found',
  );
});

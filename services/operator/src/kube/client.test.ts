import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { startKubeHarness } from '../test/kube-harness.ts';
import { connect } from '../testing/connect.ts';
import { itemsOf, orNone } from './client.ts';
import type { Job } from './object.ts';

const failure = async (t: ExecutionContext, work: Promise<unknown>): Promise<RelayError> => {
  const error = await t.throwsAsync(work);
  if (!isRelayError(error)) throw new Error(`no registered error: ${String(error)}`);
  return error;
};

const ref = { namespace: 'park', name: 'a' };
const jobsPath = '/apis/batch/v1/namespaces/park/jobs';
const job = (labels: Record<string, string> = {}): Job => ({
  metadata: { ...ref, labels },
  spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x:1' }] } } },
});

for (const [status, reason, code, next] of [
  [400, 'BadRequest', 'kube_refused', 'dead'],
  [401, 'Unauthorized', 'kube_unauthorized', 'alert'],
  [403, 'Forbidden', 'kube_forbidden', 'alert'],
  [404, 'NotFound', 'kube_not_found', 'skip'],
  [409, 'AlreadyExists', 'kube_exists', 'retry'],
  [409, 'Conflict', 'kube_conflict', 'retry'],
  [410, 'Gone', 'kube_version_gone', 'retry'],
  [422, 'Invalid', 'kube_refused', 'dead'],
  [429, 'TooManyRequests', 'kube_throttled', 'retry'],
  [500, 'InternalError', 'kube_unreachable', 'retry'],
  [503, 'ServiceUnavailable', 'kube_unreachable', 'retry'],
] as const)
  test(`the answer ${status} ${reason} is ${code}, and what comes next is ${next}`, async (t) => {
    const { server, client, context } = await startKubeHarness(t);
    server.onRequest({ kind: 'status', status, reason });
    const error = await failure(t, client.batch.readNamespacedJob(ref));
    t.is(error.code, code);
    t.is(error.next, next);
    t.true(error.message.includes(`GET ${jobsPath}/a`), error.message);
    t.regex(await context.metrics.render(), new RegExp(`relay_kube_calls_total\\{verb="get",outcome="${code}"\\} 1`));
  });

test('a wait that the server asks for is passed on, up to five minutes', async (t) => {
  const { server, client } = await startKubeHarness(t);
  for (const [retryAfter, ms] of [
    [7, 7_000],
    [100_000, 300_000],
  ] as const) {
    server.onRequest({ kind: 'status', status: 429, retryAfter });
    t.is((await failure(t, client.batch.readNamespacedJob(ref))).retryAfterMs, ms);
  }
});

test('a write whose answer is lost is ambiguous, and no read is', async (t) => {
  const { server, client } = await startKubeHarness(t);
  server.onRequest({ kind: 'lost' });
  const lost = await failure(t, client.batch.createNamespacedJob({ namespace: 'park', body: job() }));
  t.like(lost, { code: 'kube_unreachable', ambiguous: true });
  t.truthy(server.store.get('batch/v1/jobs', 'park/a'));
  await server.goDown();
  const down = await failure(t, client.batch.readNamespacedJob(ref));
  t.like(down, { code: 'kube_unreachable', ambiguous: false });
  t.regex(down.message, /ECONNREFUSED/);
  await server.comeUp();
  t.like(await client.batch.readNamespacedJob(ref), { metadata: { name: 'a' } });
});

test('a call ends when its time is over', async (t) => {
  const { server, client, clock, until } = await startKubeHarness(t);
  server.onRequest({ kind: 'hold' });
  const late = failure(t, client.batch.readNamespacedJob(ref));
  await until(() => server.held() === 1);
  await clock.advance(20_000);
  t.regex((await late).message, /nothing within 20000 ms/);
});

test('what is no JSON is no answer', async (t) => {
  const proxy = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<html>login</html>');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = await connect(url, testContext({ clock: manualClock() }));
  t.is((await failure(t, client.batch.readNamespacedJob(ref))).code, 'kube_answer_unreadable');
});

test('nothing is undefined, and errors name no query and no body', async (t) => {
  const { server, client } = await startKubeHarness(t);
  t.is(await orNone(client.core.readNamespacedSecret(ref)), undefined);
  server.onRequest({ kind: 'status', status: 500 });
  const body = job({ secret: 'canary' });
  const error = await failure(t, client.batch.createNamespacedJob({ namespace: 'park', body, fieldManager: 'canary' }));
  t.false(`${error.message} ${JSON.stringify(error)} ${error.stack}`.includes('canary'));
});

test('nobody writes over what was not seen: each patch and deletion has the version and the uid of one object', async (t) => {
  const { server, client } = await startKubeHarness(t);
  const { metadata } = await client.batch.createNamespacedJob({ namespace: 'park', body: job() });
  t.is((await failure(t, client.batch.createNamespacedJob({ namespace: 'park', body: job() }))).code, 'kube_exists');
  const { uid = '', resourceVersion = '' } = metadata ?? {};
  server.call('PATCH', `${jobsPath}/a`, { metadata: { labels: { by: 'another' } } });
  const start = { metadata: { uid, resourceVersion }, spec: { suspend: false } };
  const patch = client.batch.patchNamespacedJob({ ...ref, body: start }, client.merge);
  t.is((await failure(t, patch)).code, 'kube_conflict');
  const remove = (preconditions: object) => client.batch.deleteNamespacedJob({ ...ref, body: { preconditions } });
  t.is((await failure(t, remove({ uid, resourceVersion }))).code, 'kube_conflict');
  t.is((await failure(t, remove({ uid: 'other' }))).code, 'kube_conflict');
  await remove({ uid });
  t.is((await failure(t, remove({ uid }))).code, 'kube_not_found');
});

test('few connections serve many calls, under the name of the operator', async (t) => {
  const { server, client } = await startKubeHarness(t);
  for (let n = 0; n < 10; n += 1) t.deepEqual(itemsOf(await client.core.listNamespacedPod({ namespace: 'park' })), []);
  t.true(server.connections() <= 3);
  t.is(server.requests[0]?.agent, 'ranger-relay-operator/0.1.0');
});

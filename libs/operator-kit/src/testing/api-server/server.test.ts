import test, { type ExecutionContext } from 'ava';
import { startApiServer, type ApiServer, type ApiServerOptions } from './server.ts';

const kinds = [{ group: 'example.test', version: 'v1', plural: 'gadgets', kind: 'Gadget', namespaced: true }];
const path = '/apis/example.test/v1/namespaces/park/gadgets';
const gadget = (name: string, more: object = {}): object => ({
  apiVersion: 'example.test/v1',
  kind: 'Gadget',
  metadata: { name, namespace: 'park' },
  ...more,
});

const start = async (t: ExecutionContext, options: ApiServerOptions = {}): Promise<ApiServer> => {
  const server = await startApiServer({ kinds, ...options });
  t.teardown(() => server.close());
  return server;
};

interface Answer {
  readonly status: number;
  readonly body: {
    reason?: string;
    metadata?: Record<string, unknown>;
    spec?: unknown;
    status?: unknown;
    items?: unknown[];
  };
}

const ask = async (
  { url }: ApiServer,
  method: string,
  where: string,
  body?: unknown,
  type = 'application/json',
): Promise<Answer> => {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } };
  const response = await fetch(`${url}${where}`, { method, ...init });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
};

const applyType = 'application/apply-patch+yaml';

for (const [what, method, where, body, type, status] of [
  ['an unknown kind', 'GET', '/apis/example.test/v1/widgets', undefined, '', 404],
  ['an unknown parameter', 'GET', `${path}?labelselector=a`, undefined, '', 400],
  ['a body of another kind', 'POST', path, { ...gadget('a'), kind: 'Widget' }, '', 400],
  ['a body of another namespace', 'POST', path, gadget('a', { metadata: { name: 'a', namespace: 'other' } }), '', 400],
  ['a name that is none', 'POST', path, gadget('Not_A_Name'), '', 422],
  [
    'a version at birth',
    'POST',
    path,
    gadget('a', { metadata: { name: 'a', namespace: 'park', resourceVersion: '1' } }),
    '',
    500,
  ],
  ['another name than that of the path', 'PUT', `${path}/b`, gadget('a'), '', 400],
  ['a write to nothing', 'PUT', `${path}/a`, gadget('a'), '', 404],
  ['a patch of an unknown form', 'PATCH', `${path}/a`, [], 'application/json-patch+json', 415],
  ['an apply without a manager', 'PATCH', `${path}/a`, gadget('a'), applyType, 400],
  ['a status of nothing', 'PATCH', `${path}/a/status?fieldManager=x`, gadget('a'), applyType, 404],
  ['a watch from nowhere', 'GET', `${path}?watch=true`, undefined, '', 400],
  ['a watch from the future', 'GET', `${path}?watch=true&resourceVersion=999`, undefined, '', 504],
  ['a deletion of all', 'DELETE', path, undefined, '', 405],
  ['a body that is none', 'POST', path, 'text', '', 400],
  ['a part of a list that is not there', 'GET', `${path}?continue=x`, undefined, '', 410],
] as const)
  test(`refuses ${what}`, async (t) => {
    const server = await start(t);
    t.is((await ask(server, method, where, body, type || 'application/json')).status, status);
  });

test('refuses who does not log in', async (t) => {
  const server = await start(t, { token: 'secret' });
  t.is((await ask(server, 'GET', path)).status, 401);
});

test('each change has a version, and what changes nothing has none', async (t) => {
  const server = await start(t);
  const first = await ask(server, 'POST', path, gadget('a', { spec: { n: 1 } }));
  const same = await ask(server, 'PUT', `${path}/a`, { ...first.body });
  t.is(same.body.metadata?.['resourceVersion'], first.body.metadata?.['resourceVersion']);
  const next = await ask(server, 'PUT', `${path}/a`, { ...first.body, spec: { n: 2 } });
  t.true(Number(next.body.metadata?.['resourceVersion']) > Number(first.body.metadata?.['resourceVersion']));
  t.is(next.body.metadata?.['generation'], 2);
  t.is((await ask(server, 'PUT', `${path}/a`, { ...first.body, spec: { n: 3 } })).status, 409);
});

test('the status is written by itself, and counts as no wish', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a', { spec: { n: 1 }, status: { ignored: true } }));
  const { body } = await ask(
    server,
    'PATCH',
    `${path}/a/status?fieldManager=x`,
    gadget('a', { status: { ready: true }, spec: { n: 9 } }),
    applyType,
  );
  t.deepEqual([body.spec, body.status, body.metadata?.['generation']], [{ n: 1 }, { ready: true }, 1]);
  const written = await ask(
    server,
    'PATCH',
    `${path}/a`,
    { spec: { n: 2 }, status: {} },
    'application/merge-patch+json',
  );
  t.deepEqual([written.body.spec, written.body.status], [{ n: 2 }, { ready: true }]);
});

test('what two managers apply differently is a conflict, unless one takes it over', async (t) => {
  const server = await start(t);
  const apply = (manager: string, spec: object, force = false) =>
    ask(server, 'PATCH', `${path}/a?fieldManager=${manager}&force=${force}`, gadget('a', { spec }), applyType);
  t.is((await apply('one', { n: 1, m: 1 })).status, 201);
  t.is((await apply('two', { n: 1 })).status, 200, 'the same value is no conflict');
  t.is((await apply('two', { n: 2 })).status, 409);
  t.deepEqual((await apply('two', { n: 2 }, true)).body.spec, { n: 2, m: 1 });
  t.is((await apply('one', { n: 1 })).status, 409, 'it is owned by the other one now');
  t.deepEqual((await apply('one', {})).body.spec, { n: 2 }, 'what nobody applies any more is taken away');
});

test('an apply that names another uid, or an old version, is refused', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a'));
  const apply = (metadata: object) =>
    ask(
      server,
      'PATCH',
      `${path}/a?fieldManager=x`,
      gadget('a', { metadata: { name: 'a', namespace: 'park', ...metadata } }),
      applyType,
    );
  t.is((await apply({ uid: 'another' })).status, 422);
  t.is((await apply({ resourceVersion: '1' })).status, 409);
  const lost = gadget('b', { metadata: { name: 'b', namespace: 'park', uid: 'of one that is gone' } });
  t.is((await ask(server, 'PATCH', `${path}/b?fieldManager=x`, lost, applyType)).status, 409);
  t.is((await apply({})).status, 200);
});

test('of a status the uid is passed over, and the version is not', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a'));
  const apply = (metadata: object) => {
    const body = {
      ...gadget('a', { metadata: { name: 'a', namespace: 'park', ...metadata } }),
      status: { phase: 'A' },
    };
    return ask(server, 'PATCH', `${path}/a/status?fieldManager=x`, body, applyType);
  };
  t.is((await apply({ uid: 'another' })).status, 200);
  t.is((await apply({ resourceVersion: '1' })).status, 409);
});

test('a member of a status goes as a whole when it is not said any more', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a'));
  const apply = (status: object) =>
    ask(server, 'PATCH', `${path}/a/status?fieldManager=x`, { ...gadget('a'), status }, applyType);
  await apply({ phase: 'A', job: { name: 'j', since: 1 } });
  t.deepEqual((await apply({ phase: 'A', job: { name: 'k' } })).body['status'], { phase: 'A', job: { name: 'k' } });
  t.deepEqual((await apply({ phase: 'B' })).body['status'], { phase: 'B' });
});

test('a patch that names another uid, or an old version, is refused', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a'));
  const patch = (metadata: object) =>
    ask(server, 'PATCH', `${path}/a`, { metadata, spec: { n: 2 } }, 'application/merge-patch+json');
  t.is((await patch({ uid: 'another' })).status, 409);
  t.is((await patch({ resourceVersion: '1' })).status, 409);
  t.is((await patch({})).status, 200);
});

test('what is deleted by its uid is that one alone', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a'));
  t.is((await ask(server, 'DELETE', `${path}/a`, { preconditions: { uid: 'another' } })).status, 409);
  t.is((await ask(server, 'DELETE', `${path}/a`)).status, 200);
  t.is((await ask(server, 'DELETE', `${path}/a`)).status, 404);
});

test('a list is that of its namespace and labels, without kinds of items', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a', { metadata: { name: 'a', namespace: 'park', labels: { team: 'x' } } }));
  await ask(server, 'POST', path, gadget('b'));
  const names = async (query: string): Promise<unknown[]> =>
    ((await ask(server, 'GET', `${path}${query}`)).body.items ?? []).map(
      (item) => (item as Answer['body']).metadata?.['name'],
    );
  t.deepEqual(await names(''), ['a', 'b']);
  t.deepEqual(await names('?labelSelector=team%3Dx'), ['a']);
  t.deepEqual(await names('?labelSelector=team!%3Dx'), ['b']);
  t.deepEqual(await names('?labelSelector=team'), ['a']);
  t.is((await ask(server, 'GET', `${path}?labelSelector=%21%21`)).status, 400);
  t.is((await ask(server, 'GET', path)).body.items?.filter((item) => 'kind' in (item as object)).length, 0);
});

test('a held request is answered when it is released', async (t) => {
  const server = await start(t);
  server.faults.onRequest({ kind: 'hold' });
  const answer = ask(server, 'POST', path, gadget('a'));
  while (server.held() === 0) await new Promise((resolve) => setImmediate(resolve));
  t.is(server.store.all('example.test/v1/gadgets').length, 0);
  server.release();
  t.is((await answer).status, 201);
});

test('faults strike the requests that are meant, as often as they are told to', async (t) => {
  const server = await start(t);
  server.faults.onRequest({ kind: 'status', status: 418 }, { method: 'POST', path: 'gadgets', count: 2 });
  t.is((await ask(server, 'GET', path)).status, 200);
  const statuses = [];
  for (const name of ['a', 'b', 'c']) statuses.push((await ask(server, 'POST', path, gadget(name))).status);
  t.deepEqual(statuses, [418, 418, 201]);
});

test('a server that was away comes back on its port with what it had', async (t) => {
  const server = await start(t);
  await ask(server, 'POST', path, gadget('a'));
  await server.goDown();
  await t.throwsAsync(ask(server, 'GET', path));
  await server.comeUp();
  t.is((await ask(server, 'GET', `${path}/a`)).status, 200);
});

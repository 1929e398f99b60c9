import test from 'ava';
import { z } from 'zod';
import { handlers } from '../test/actions.ts';
import { envelope, httpHarness } from '../test/http-harness.ts';
import { park } from '../test/harness.ts';
import { openApiDocument } from './openapi.ts';
import { routes } from './routes.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } };
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const open = () => httpHarness(handlers('generic'));

test('the document holds exactly the routes of the app', async (t) => {
  const w = open();
  const { json } = await w.call('/openapi.json');
  const { paths, openapi, info } = json as Document;
  t.is(openapi, '3.1.0');
  t.deepEqual(info, { title: 'Site connector', version: '0.1.0' });
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = w.hono.routes.map(({ method, path }) => `${method} ${path}`);
  t.deepEqual([...new Set(served)].sort(), documented.sort());
});

test('every operation has a body of its own schema, its answers, and a token unless it is open', (t) => {
  const { paths } = openApiDocument({ title: 't', version: '1', url: 'https://s.example' }) as Document;
  for (const { path, method, body, open: isOpen, answers } of routes) {
    const operation = paths[path]?.[method];
    t.is(operation?.security.length, isOpen ? 0 : 1, path);
    t.is(operation?.requestBody !== undefined, body !== undefined, path);
    t.deepEqual(Object.keys(operation?.responses ?? {}), Object.keys(answers), path);
    t.notRegex(JSON.stringify(operation), /\$schema/);
  }
  const execute = JSON.stringify(paths['/v1/actions/execute']);
  for (const member of ['integration_state', 'run_in_background', 'config_overrides', '"enum":["auto","manual"]'])
    t.true(execute.includes(member), member);
});

test('what the app answers is what the document says', async (t) => {
  const w = open();
  const body = { integration_id: park, action_id: 'work' };
  const answers: [string, 'get' | 'post', unknown][] = [
    ['/', 'get', undefined],
    ['/v1/actions', 'get', undefined],
    ['/', 'post', envelope(body)],
    ['/', 'post', '{'],
    ['/push-data', 'post', envelope({})],
    ['/v1/actions/execute', 'post', body],
    ['/v1/actions/execute', 'post', {}],
    ['/config-events', 'post', '{'],
  ];
  for (const [path, method, sent] of answers) {
    const { status, json } = method === 'get' ? await w.call(path) : await w.post(path, sent);
    const route = routes.find((each) => each.path === path && each.method === method);
    const schema = route?.answers[status]?.schema ?? z.never();
    t.true(schema.safeParse(json).success, `${method} ${path} ${status} ${JSON.stringify(json)}`);
  }
});

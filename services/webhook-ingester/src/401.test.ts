import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { sentenceOf } from '@ranger-relay/runtime';
import test from 'ava';
import { createAuthenticate, type Caller } from './auth/authenticate.ts';
import { body, gonePark, parkA, parkB, wire } from './test/events.ts';
import { headOf, openConnection } from './test/socket.ts';
import {
  appOf,
  headersOf,
  integrationOf,
  metricOf,
  post,
  start,
  tokens,
  harness,
  type PostOptions,
} from './test/harness.ts';

const good = body([wire()]);

const refused: Readonly<Record<string, PostOptions>> = {
  'no token': { token: null },
  'a wrong token': { token: 'wrong' },
  'another integration’s token': { token: tokens.b },
  'an integration without tokens': { integration: '55555555-5555-4555-8555-555555555555' },
  'an empty token': { token: '' },
  'a token longer than any can be': { token: 'x'.repeat(5_000) },
  'a bearer of another scheme': { token: null, headers: { authorization: `Basic ${tokens.a}` } },
  'the digest in place of the token': {
    token: `sha256:${createHash('sha256').update(tokens.a).digest('hex')}`,
  },
  'an id that is a prototype member': { integration: 'constructor' },
};

for (const [name, options] of Object.entries(refused))
  test(`${name} is refused`, async (t) => {
    const w = harness(t);
    const { status, json } = await post(w, good, options);
    t.is(status, 401);
    t.like(json, { detail: { code: 'webhook_unauthorized' } });
    t.is(w.bus.published.length, 0);
    t.deepEqual(w.loads, options.integration === undefined ? [] : [options.integration]);
    t.is(await metricOf(w, 'relay_webhook_requests_total{status="401"}'), 1);
  });

const accepted: Readonly<Record<string, PostOptions>> = {
  'the vendor’s header': {},
  'a second valid token': { token: tokens.a2 },
  'an apikey header': { token: null, headers: { apikey: tokens.a } },
  'an apikey in the query': { token: null, path: `/webhooks?apikey=${tokens.a}` },
  'a bearer token': { token: null, headers: { authorization: `Bearer ${tokens.a}` } },
  'one good token among others': { token: 'wrong', headers: { apikey: tokens.a } },
  'an id in capitals': { integration: parkA.toUpperCase() },
  'an id in the query': { integration: null, path: `/webhooks?integration_id=${parkA}` },
};

for (const [name, options] of Object.entries(accepted))
  test(`${name} is accepted`, async (t) => {
    const w = harness(t);
    t.is((await post(w, good, options)).status, 200);
    t.deepEqual(w.loads, [parkA]);
  });

test('the header wins over the query', async (t) => {
  const w = harness(t);
  t.is((await post(w, good, { path: `/webhooks?integration_id=${parkB}` })).status, 200);
  t.deepEqual(w.loads, [parkA]);
});

test('a token may be kept as its digest', async (t) => {
  const w = harness(t);
  const digest = createHash('sha256').update('kept as a digest').digest('hex');
  writeFileSync(w.tokensPath, JSON.stringify({ [gonePark]: [], [parkA]: [`sha256:${digest}`] }));
  t.is((await post(w, good, { token: 'kept as a digest' })).status, 200);
  t.is((await post(w, good, { token: tokens.a })).status, 401);
  t.is((await post(w, good, { integration: gonePark })).status, 401);
});

test('without authentication no token is asked for', async (t) => {
  const w = harness(t, { WEBHOOK_AUTH: 'none' });
  t.is((await post(w, good, { token: null })).status, 200);
});

const caller = (peer: string | undefined, consumer?: string): Caller => ({
  header: (name) => ({ 'x-consumer-username': consumer, 'x-integration-id': parkB })[name],
  query: () => undefined,
  peer,
});

test('a gateway’s peers pass without a token, others are refused', async (t) => {
  const w = harness(t, { WEBHOOK_AUTH: 'gateway', WEBHOOK_TRUSTED_PROXIES: '10.0.0.0/8,fd00::/8' });
  const authenticate = createAuthenticate(w.config, w.context);
  for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', 'fd00::1%eth0'])
    t.is(authenticate(caller(peer)), parkB, peer);
  for (const peer of ['11.1.2.3', '::ffff:11.1.2.3', 'fe80::1', '', undefined, 'nonsense'])
    t.throws(() => authenticate(caller(peer)), { message: /token/ }, String(peer));
  t.is(authenticate(caller('10.1.2.3', `integration:${parkA}`)), parkA);
  t.is(authenticate(caller('10.1.2.3', 'anonymous')), parkB);
  t.is(authenticate(caller('10.1.2.3', 'integration:anonymous')), parkB);
});

test('the consumer header of an untrusted peer counts for nothing', async (t) => {
  const w = harness(t);
  const headers = { 'x-consumer-username': `integration:${parkB}` };
  t.is((await post(w, good, { token: tokens.b, headers })).status, 401);
  t.is((await post(w, good, { headers })).status, 200);
  t.deepEqual(w.loads, [parkA]);
});

test('a refused request leaves its connection usable for the next one', async (t) => {
  const w = harness(t);
  const connection = await openConnection(t, await start(t, w));
  const framing = { 'content-length': String(good.length) };
  connection.write(headOf(framing, { token: 'wrong' }) + good);
  t.regex(await connection.received(/unauthorized.*\}$/s), /^HTTP\/1.1 401 /);
  connection.write(headOf(framing) + good);
  t.regex(await connection.received(/total_observations/), /HTTP\/1.1 200 /);
});

test('a refused upload of 17 MiB gets its answer although it goes on sending', async (t) => {
  const w = harness(t);
  const connection = await openConnection(t, await start(t, w));
  connection.write(headOf({ 'content-length': String(17 * 1_048_576) }, { token: 'wrong' }));
  connection.write(Buffer.alloc(17 * 1_048_576));
  t.regex(await connection.received(/unauthorized.*\}$/s), /^HTTP\/1.1 401 /);
  await connection.closed;
});

test('refused requests are a few lines of the log a minute and a few look-ups, however many there are and whatever ids they name', async (t) => {
  const w = harness(t);
  const app = appOf(w);
  for (let n = 0; n < 300; n += 1) {
    const integration = `${String(n).padStart(8, '0')}-0000-4000-8000-000000000001`;
    const headers = headersOf({ token: `guess-${n}`, integration });
    t.is((await app.request('/webhooks', { method: 'POST', headers, body: '{}' })).status, 401);
  }
  const lines = w.lines.filter(({ level }) => level !== 'debug');
  t.is(lines.length, 4);
  for (const line of lines) t.like(line, { level: 'warn', condition: 'webhook_request_refused', status: 401 });
  t.is(w.loads.length, 20);
});

test('a wrong token, and a known integration of which no token is named, are told apart', async (t) => {
  const w = harness(t);
  const unlisted = '66666666-6666-4666-8666-666666666666';
  w.integrations.set(unlisted, integrationOf(unlisted));
  await post(w, good, { token: 'wrong' });
  await post(w, good, { integration: unlisted });
  await w.clock.turn();
  const said = [parkA, unlisted].map((id) => w.context.conditions.find('webhook_token_refused', id));
  t.deepEqual(
    said.map((state) => state && sentenceOf(state, 'Park')),
    ['Park: 1 request with a wrong token', 'Park: 1 request with a token, and WEBHOOK_TOKENS_FILE names none of it'],
  );
});

test('a wrong id at the vendor does not end with the request of another park, only with a good one of that id', async (t) => {
  const w = harness(t);
  const app = appOf(w);
  const post = (options: Parameters<typeof headersOf>[0]) =>
    app.request('/webhooks', { method: 'POST', headers: headersOf(options), body: good });
  const wrong = 'eeeeeeee-0000-4000-8000-00000000000e';
  const refused = () => w.context.conditions.active().map(({ name, subject }) => `${name} ${subject}`);
  t.is((await post({ integration: wrong })).status, 401);
  t.is((await post({ integration: null })).status, 404);
  await w.clock.turn();
  t.deepEqual(refused(), [`webhook_request_refused ${wrong}`, 'webhook_request_refused ']);
  t.is((await post({})).status, 200);
  t.deepEqual(refused(), [`webhook_request_refused ${wrong}`]);
});

test('a body that waits for an invitation gets none without a token, and one with it', async (t) => {
  const port = await start(t, harness(t));
  const waiting = { expect: '100-continue', 'content-length': String(good.length) };
  const stranger = await openConnection(t, port);
  stranger.write(headOf(waiting, { token: 'wrong' }));
  const refusal = await stranger.received(/\}$/);
  t.regex(refusal, /^HTTP\/1.1 401 /);
  t.regex(refusal, /connection: close/i);
  await stranger.closed;
  const vendor = await openConnection(t, port);
  vendor.write(headOf(waiting));
  t.is(await vendor.received(/\r\n\r\n$/), 'HTTP/1.1 100 Continue\r\n\r\n');
  vendor.write(good);
  t.regex(await vendor.received(/\}$/), /HTTP\/1.1 200 /);
});

test('a body that is too large is not invited', async (t) => {
  const connection = await openConnection(t, await start(t, harness(t)));
  connection.write(headOf({ expect: '100-continue', 'content-length': String(17 * 1_048_576) }));
  t.regex(await connection.received(/\}$/), /^HTTP\/1.1 413 /);
  await connection.closed;
});

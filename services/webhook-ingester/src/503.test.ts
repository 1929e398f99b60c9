import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { body, parkA, parkB, text, wire } from './test/events.ts';
import { appOf, type Harness, headersOf, metricOf, post, tokens, harness } from './test/harness.ts';

const down = (): never => {
  throw new RelayError('bus_unavailable', { details: { reason: 'no space left' } });
};

test('a bus that cannot store is 503 with Retry-After', async (t) => {
  const w = harness(t);
  w.bus.before = down;
  const { status, headers, json } = await post(w, body([wire()]));
  t.is(status, 503);
  t.is(headers.get('retry-after'), '10');
  t.like(json, { detail: { code: 'bus_unavailable' } });
  t.is(await metricOf(w, 'relay_webhook_requests_total{status="503"}'), 1);
  t.is(await metricOf(w, 'relay_webhook_events_total{outcome="observation"}'), undefined);
});

test('a bus that stores too late is 503', async (t) => {
  const w = harness(t);
  w.bus.before = () => {
    throw new RelayError('deadline_exceeded', { details: { what: 'publish', ms: 4_000 } });
  };
  t.is((await post(w, body([wire()]))).status, 503);
});

test('a rejected event that cannot be stored is 503, so it comes again', async (t) => {
  const w = harness(t);
  w.bus.before = ({ topic }) => (topic === 'dead-letters' ? down() : undefined);
  t.is((await post(w, body([wire(), wire({ imei: null })]))).status, 503);
});

test('a bad body that cannot be stored is 503', async (t) => {
  const w = harness(t);
  w.bus.before = down;
  t.is((await post(w, 'nonsense')).status, 503);
});

test('all chunks of a body share one deadline of 4 s', async (t) => {
  const w = harness(t);
  const begun = Promise.withResolvers<void>();
  w.bus.before = () => (begun.resolve(), w.clock.sleep(1_500));
  const long = 'x'.repeat(200_000);
  const events = Array.from({ length: 12 }, (_, index) => text(`${index} ${long}`));
  const answer = post(w, body(events));
  await begun.promise;
  await w.clock.advance(6_000);
  t.is((await answer).status, 503);
  t.deepEqual(
    w.bus.published.map(({ deadlineMs }) => deadlineMs),
    [4_000, 2_500, 1_000],
  );
});

test('no obtainable configuration is 503 with Retry-After', async (t) => {
  const w = harness(t);
  const dependencies = {
    ...w.dependencies,
    loadIntegration: () => Promise.reject(new RelayError('platform_unavailable', { details: { reason: 'down' } })),
  };
  const { status, headers } = await post({ ...w, dependencies }, body([wire()]));
  t.is(status, 503);
  t.is(headers.get('retry-after'), '10');
  t.is(w.bus.published.length, 0);
});

test('beyond the bytes that may be in memory requests are put off, and taken again once there is room', async (t) => {
  const w = harness(t, { WEBHOOK_MAX_BODY_BYTES: '2000', WEBHOOK_MAX_BUFFERED_BYTES: '2000' });
  const content = body([wire(), wire(), wire()]);
  t.true(content.length > 1_000 && content.length < 2_000);
  const app = appOf(w);
  const send = (): Response | Promise<Response> =>
    app.request('/webhooks', {
      method: 'POST',
      headers: { ...headersOf({}), 'content-length': String(content.length) },
      body: content,
    });
  const stored = Promise.withResolvers<void>();
  w.bus.before = () => stored.promise;
  const first = send();
  await w.clock.advance(1);
  const second = await send();
  t.is(second.status, 503);
  t.is(second.headers.get('retry-after'), '10');
  stored.resolve();
  t.is((await first).status, 200);
  w.bus.before = () => undefined;
  t.is((await send()).status, 200);
});

test('an unexpected failure is 500, logged, and says nothing of itself', async (t) => {
  const w = harness(t);
  const dependencies = {
    ...w.dependencies,
    loadIntegration: () => Promise.reject(new TypeError('inner detail')),
  };
  const { status, json } = await post({ ...w, dependencies }, body([wire()]));
  t.is(status, 500);
  t.false(JSON.stringify(json).includes('inner detail'));
  t.is(w.lines.filter(({ msg }) => msg === 'a webhook request failed unexpectedly').length, 1);
});

test('a failed request is told of by its condition, and by no entry of its own', async (t) => {
  const w = harness(t);
  w.bus.before = down;
  await post(w, body([wire()]));
  await w.clock.advance(1);
  t.deepEqual(w.entries, []);
  t.like(w.context.conditions.find('webhook_failing', parkA), { count: 1, details: { status: 503 } });
});

test('an integration that brings more than its bytes of a minute is 503 before its body is read, others pass', async (t) => {
  const w = harness(t, { WEBHOOK_MAX_BODY_BYTES: '2000', WEBHOOK_MAX_BYTES_PER_MINUTE: '2000' });
  const app = appOf(w);
  const content = body([wire()]).padEnd(1_500);
  const send = async (headers: Record<string, string>, length = content.length): Promise<Response> =>
    app.request('/webhooks', {
      method: 'POST',
      headers: { ...headers, 'content-length': String(length) },
      body: content,
    });
  t.is((await send(headersOf({}))).status, 200);
  const over = await send(headersOf({}));
  t.is(over.status, 503);
  t.is(over.headers.get('retry-after'), '10');
  t.like(await over.json(), { detail: { code: 'too_many_bytes' } });
  t.is((await send(headersOf({ integration: parkB, token: tokens.b }))).status, 200);
  await w.clock.advance(60_000);
  t.is((await send(headersOf({}))).status, 200);
  t.is(w.events().length, 3);
});

test('a body of the largest size always fits into a minute', async (t) => {
  const w = harness(t, { WEBHOOK_MAX_BODY_BYTES: '2000', WEBHOOK_MAX_BYTES_PER_MINUTE: '1024' });
  t.is((await post(w, body([wire()]).padEnd(2_000))).status, 200);
});

test('while our clock is wrong, everything is 503, and comes again', async (t) => {
  const w = harness(t);
  w.clockGuard.problem = () => 'it is before the build date of this program';
  const { status, headers, json } = await post(w, body([wire({ messageCode: 4 })]));
  t.is(status, 503);
  t.is(headers.get('retry-after'), '10');
  t.like(json, { detail: { code: 'clock_behind' } });
  t.deepEqual(w.bus.published, []);
  w.clockGuard.problem = () => null;
  t.is((await post(w, body([wire({ messageCode: 4 })]))).status, 200);
});

test('an event is judged by the later of our time and the platform’s: our clock three days behind costs none', async (t) => {
  const w = harness(t);
  const day = 86_400_000;
  const sent = body([wire({ timeStamp: w.clock.now() + 3 * day })]);
  t.like((await post(w, sent)).json, { rejected: [{ code: 'bad_time' }] });
  w.clockGuard.reference = () => w.clock.now() + 3 * day;
  t.deepEqual((await post(w, sent)).json, { total_observations: 1, total_messages: 0 });
});

for (const [why, refuse] of [
  [
    'nobody can tell its integration',
    (w: Harness) => Object.assign(w.dependencies, { loadIntegration: async () => down() }),
  ],
  ['our clock is wrong', (w: Harness) => (w.clockGuard.problem = () => 'it is before the build date of this program')],
] as const)
  test(`an SOS that is refused because ${why} is named until this SOS is stored, whatever else of its park or another SOS of its device comes`, async (t) => {
    const w = harness(t);
    const before = { ...w.dependencies };
    const named = (): string[] =>
      w.context.conditions.active().flatMap(({ name, subject }) => (name === 'sos_not_stored' ? [subject] : []));
    refuse(w);
    const { imei } = wire() as { imei: string };
    const sos = body([wire({ messageCode: 4 }), wire()]);
    t.is((await post(w, sos)).status, 503);
    const [subject = '', ...others] = named();
    t.deepEqual(others, []);
    t.true(subject.startsWith(`${parkA}/${imei}/`));
    Object.assign(w.dependencies, before);
    w.clockGuard.problem = () => null;
    t.is((await post(w, body([wire({ imei: '300434030000777' })]))).status, 200);
    const later = (wire() as { timeStamp: number }).timeStamp + 60_000;
    t.is((await post(w, body([wire({ messageCode: 4, timeStamp: later })]))).status, 200);
    t.deepEqual(named(), [subject]);
    t.is((await post(w, sos)).status, 200);
    t.deepEqual(named(), []);
  });

test('the body of a request that is not authenticated is not read, whatever it is refused for', async (t) => {
  const w = harness(t);
  w.clockGuard.problem = () => 'it is before the build date of this program';
  t.is((await post(w, body([wire({ messageCode: 4 })]), { token: 'wrong' })).status, 401);
  t.deepEqual(
    w.context.conditions.active().filter(({ name }) => name === 'sos_not_stored'),
    [],
  );
});

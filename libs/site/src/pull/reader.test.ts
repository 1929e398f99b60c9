import { type ErrorCode, isRelayError, type Next } from '@ranger-relay/errors';
import { broken, httpAnswer } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import { data, scriptedSite, siteRefusal, tokenCanary } from '../test/scripted-site.ts';

test('a file is fetched by a relative address, and by one that names the host of the site', async (t) => {
  for (const url of [
    '/api/v1.0/activity/event/1/file/2/a.jpg?x=1',
    'https://site.example/api/v1.0/activity/event/1/file/2/a.jpg?x=1',
    'http://site.example/api/v1.0/activity/event/1/file/2/a.jpg?x=1',
  ]) {
    const { reader, asked, requests } = scriptedSite(() => httpAnswer(200, 'bytes'));
    t.is(new TextDecoder().decode(await reader.fetchBytes(url, 100)), 'bytes');
    t.deepEqual(asked(), ['GET /api/v1.0/activity/event/1/file/2/a.jpg?x=1']);
    t.is(requests[0]?.maxBytes, 100);
  }
});

test('nothing is ever asked of another host, so that the token stays here', async (t) => {
  for (const url of [
    'https://elsewhere.example/a.jpg',
    '//elsewhere.example/a.jpg',
    'https://site.example:8443/a.jpg',
    'https://site.example.elsewhere.example/a',
    String.raw`\\elsewhere.example\a`,
    'file:///etc/hosts',
    'data:text/plain,x',
  ]) {
    const { reader, requests } = scriptedSite(() => httpAnswer(200, 'bytes'));
    t.true(isRelayError(await t.throwsAsync(reader.fetchBytes(url, 100)), 'site_address_foreign'), url);
    t.is(requests.length, 0);
  }
});

test('a file that is too large, refused or not there says so', async (t) => {
  const cases: readonly [() => ReturnType<typeof httpAnswer>, ErrorCode][] = [
    [() => broken('http_body_too_large'), 'site_file_too_large'],
    [() => httpAnswer(403), 'site_forbidden'],
    [() => httpAnswer(404), 'site_not_found'],
    [() => httpAnswer(503), 'site_unavailable'],
    [() => httpAnswer(302, '', { headers: { location: 'https://store.example/x' } }), 'site_redirected'],
  ];
  for (const [script, code] of cases)
    t.true(isRelayError(await t.throwsAsync(scriptedSite(script).reader.fetchBytes('/a', 5)), code), code);
});

test('a page without rows that is a bare list means that the permission is missing; a list that is never paged may be empty', async (t) => {
  for (const body of [{ data: [] }, []]) {
    const target = 'GET site.example/api/v1.0/activity/events';
    const { reader } = scriptedSite(() => httpAnswer(200, body, { target }));
    const error = await t.throwsAsync(reader.page('activity/events', { use_cursor: 'true' }));
    t.true(isRelayError(error, 'site_forbidden'));
    t.regex(error?.message ?? '', /view_event\b/);
    t.deepEqual(await reader.get('activity/events/eventtypes'), []);
  }
});

const failsWith = async (t: ExecutionContext, task: Promise<unknown>, code: ErrorCode) => {
  const error = await t.throwsAsync(task);
  if (!isRelayError(error, code)) return t.fail(`${String(error)} is not ${code}`);
  t.pass();
  return error;
};

test('paths lie under /api/v1.0/ of the root, unless they begin with /api/', async (t) => {
  const { reader, asked } = scriptedSite(() => data({}));
  t.is(reader.root, 'https://site.example');
  await reader.get('user/me');
  await reader.get('/api/v2.0/activity/eventtypes', { a: 'b c' });
  t.deepEqual(asked(), ['GET /api/v1.0/user/me', 'GET /api/v2.0/activity/eventtypes?a=b+c']);
});

test('the root is scheme, host and port of the address; https unless http is written out', (t) => {
  for (const [baseUrl, root] of [
    ['https://site.example:8443/api/v1.0/', 'https://site.example:8443'],
    ['http://10.0.0.7/deep/path', 'http://10.0.0.7'],
    ['site.example', 'https://site.example'],
  ] as const)
    t.is(scriptedSite(() => data({}), { baseUrl }).reader.root, root);
  for (const baseUrl of ['', 'ftp://site.example', 'https://user:secret@site.example']) {
    const error = t.throws(() => scriptedSite(() => data({}), { baseUrl }));
    t.true(isRelayError(error, 'site_address_invalid'), baseUrl);
    t.notRegex(error.message, /secret/);
  }
});

test('the envelope is taken off, and a body without one is taken as it is', async (t) => {
  for (const body of [{ data: { a: 1 }, status: { code: 200 } }, { a: 1 }])
    t.deepEqual(await scriptedSite(() => httpAnswer(200, body)).reader.get('x'), { a: 1 });
});

test('every request carries the token and the limits of time of the contract', async (t) => {
  const { reader, requests } = scriptedSite(() => data({}));
  await reader.get('x');
  t.like(requests[0], { connectMs: 10_000, totalMs: 60_000 });
  t.is(requests[0]?.headers?.['authorization'], `Bearer ${tokenCanary}`);
});

const lost: Record<string, () => ReturnType<typeof httpAnswer>> = {
  'a lost connection': () => broken('http_reset'),
  'no connection': () => broken('http_connect', { reason: 'ECONNREFUSED' }),
  'a time-out': () => broken('http_timeout'),
  429: () => httpAnswer(429),
  502: () => httpAnswer(502, '<html>'),
  503: () => httpAnswer(503),
  504: () => httpAnswer(504),
};
for (const [what, script] of Object.entries(lost))
  test(`after ${what} it is tried four times, 1, 2 and 4 s apart, then given up as transient`, async (t) => {
    const { reader, waits, requests } = scriptedSite(script);
    const error = await failsWith(t, reader.get('x'), 'site_unavailable');
    t.is(error?.next, 'retry');
    t.deepEqual(waits, [1_000, 2_000, 4_000]);
    t.is(requests.length, 4);
  });

test('a site that comes back within the tries is answered for', async (t) => {
  let tries = 0;
  const { reader } = scriptedSite(() => ((tries += 1) < 4 ? broken('http_reset') : data('here')));
  t.is(await reader.get('x'), 'here');
});

test('a wait that the site asks for is kept to, one over a minute ends the call and is handed on', async (t) => {
  const short = scriptedSite(() => httpAnswer(429, '', { retryAfterMs: 7_000 }));
  await failsWith(t, short.reader.get('x'), 'site_unavailable');
  t.deepEqual(short.waits, [7_000, 7_000, 7_000]);
  const long = scriptedSite(() => httpAnswer(503, '', { retryAfterMs: 600_000 }));
  const error = await failsWith(t, long.reader.get('x'), 'site_unavailable');
  t.is(error?.retryAfterMs, 600_000);
  t.is(long.requests.length, 1);
});

test('other 5xx are transient, and not tried again at once', async (t) => {
  const { reader, requests } = scriptedSite(() => httpAnswer(500));
  await failsWith(t, reader.get('x'), 'site_unavailable');
  t.is(requests.length, 1);
});

const final: readonly [number, ErrorCode, Next][] = [
  [400, 'site_refused', 'dead'],
  [401, 'site_credentials_refused', 'alert'],
  [403, 'site_forbidden', 'alert'],
  [404, 'site_not_found', 'dead'],
  [302, 'site_redirected', 'alert'],
  [422, 'site_refused', 'dead'],
];
for (const [status, code, next] of final)
  test(`${status} is ${code}, asked once`, async (t) => {
    const { reader, requests } = scriptedSite(() =>
      siteRefusal(status, { headers: { location: 'https://elsewhere.example/login' } }),
    );
    const error = await failsWith(t, reader.get('x'), code);
    t.is(error?.next, next);
    t.is(requests.length, 1);
  });

test('a refusal without the site’s form came from something on the way: transient, except HTML outside of the API', async (t) => {
  for (const status of [400, 403, 404, 405, 422])
    for (const body of ['<html>Forbidden</html>', { message: 'Forbidden' }, { status: { code: 499 } }])
      await failsWith(t, scriptedSite(() => httpAnswer(status, body)).reader.get('x'), 'site_unavailable');
  const { reader } = scriptedSite(() => httpAnswer(404, '<html>Not Found</html>'));
  await failsWith(t, reader.get('/api/v2.0/x'), 'site_not_found');
});

test('a body that does not parse came from something on the way: transient', async (t) => {
  for (const body of ['<html>please log in</html>', '{"data":[1,'])
    await failsWith(t, scriptedSite(() => httpAnswer(200, body)).reader.get('x'), 'site_unavailable');
});

test('a certificate that is not trusted is waited for, not skipped', async (t) => {
  const { reader, requests } = scriptedSite(() => broken('http_connect', { reason: 'CERT_HAS_EXPIRED' }));
  const error = await failsWith(t, reader.get('x'), 'site_unavailable');
  t.is(error?.next, 'retry');
  t.is(requests.length, 1);
});

test('an answer without end is none', async (t) => {
  await failsWith(t, scriptedSite(() => broken('http_body_too_large')).reader.get('x'), 'site_answer_unreadable');
});

test('once the signal is aborted nothing is sent any more, and its reason is what is thrown', async (t) => {
  const controller = new AbortController();
  const { reader, requests } = scriptedSite(
    () => {
      controller.abort(new Error('enough'));
      return broken('http_reset');
    },
    { signal: controller.signal },
  );
  await t.throwsAsync(reader.get('x'), { message: 'enough' });
  await t.throwsAsync(reader.get('x'), { message: 'enough' });
  t.is(requests.length, 1);
});

test('at most four requests are under way at a time', async (t) => {
  let [now, most] = [0, 0];
  const { reader } = scriptedSite(async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return data({});
  });
  await Promise.all(Array.from({ length: 20 }, () => reader.get('x')));
  t.is(most, 4);
});

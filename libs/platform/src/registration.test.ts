import { isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer, broken, scriptedHttp } from '@ranger-relay/http/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createCall } from './api.ts';
import { registerType, type TypeRegistration } from './registration.ts';

const body: TypeRegistration = { name: 'Site', value: 'site', description: '', actions: [] };
const good = () => httpAnswer(201, { name: 'Site', value: 'site', description: '', service_url: null });

const setUp = (answers: (() => HttpAnswer)[]) => {
  let renewed = 1;
  const tokens = { token: async () => `t${renewed}`, invalidate: () => void (renewed += 1) };
  const http = scriptedHttp(() => (answers.shift() ?? good)());
  const clock = manualClock();
  const random = { next: () => 0, uuid: () => 'u' };
  const registered = registerType(createCall('https://api.example', http, tokens), { clock, random }, body);
  registered.catch(() => undefined);
  return { http, clock, registered };
};

test('the type is posted once, with the token', async (t) => {
  const { http, registered } = setUp([]);
  t.like(await registered, { value: 'site' });
  t.is(http.requests.length, 1);
  t.like(http.requests[0], {
    method: 'POST',
    url: 'https://api.example/v2/integrations/types/',
    json: body,
    headers: { authorization: 'Bearer t1' },
  });
});

test('a stale token is renewed within the same try', async (t) => {
  const { http, registered } = setUp([() => httpAnswer(302)]);
  await registered;
  t.deepEqual(
    http.requests.map(({ headers }) => headers?.['authorization']),
    ['Bearer t1', 'Bearer t2'],
  );
});

for (const [what, answer] of [
  ['a 502', () => httpAnswer(502)],
  ['a 429', () => httpAnswer(429)],
  ['a connection that breaks', () => broken('http_reset', { ambiguous: true })],
  ['an answer that is no type', () => httpAnswer(201, 'x')],
  ['a 200 that names another type', () => httpAnswer(200, { value: 'other' })],
  ['a 202', () => httpAnswer(202, { value: 'site' })],
  ['a gateway’s 405', () => httpAnswer(405, '<html>')],
] as [string, () => HttpAnswer][])
  test(`${what} is tried three times, one second apart`, async (t) => {
    const { http, clock, registered } = setUp([answer, answer, answer]);
    const times: number[] = [];
    for (let ms = 0; ms <= 3_000; ms += 500) {
      times.push(http.requests.length);
      await clock.advance(500);
    }
    t.is(http.requests.length, 3);
    t.is(times[1], 1);
    const error = await t.throwsAsync(registered);
    t.true(isRelayError(error, 'platform_unavailable', 'platform_rate_limited'), String(error));
  });

test('what goes well at the third try is registered', async (t) => {
  const { clock, registered } = setUp([() => httpAnswer(500), () => httpAnswer(500)]);
  await clock.advance(1_000);
  await clock.advance(1_000);
  t.is((await registered).value, 'site');
});

test('403 is said to need a superuser, and is not tried again', async (t) => {
  const { http, registered } = setUp([() => httpAnswer(403, { detail: 'no' })]);
  const error = await t.throwsAsync(registered, { message: /only a superuser may register types/ });
  t.true(isRelayError(error, 'registration_refused'));
  t.is(http.requests.length, 1);
});

test('400 is told in the platform’s words, and is not tried again', async (t) => {
  const { http, registered } = setUp([() => httpAnswer(400, { value: ['Enter a valid slug.'] })]);
  await t.throwsAsync(registered, { message: /type site: .*400.*Enter a valid slug/ });
  t.is(http.requests.length, 1);
});

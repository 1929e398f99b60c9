import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer, broken, scriptedHttp } from '@ranger-relay/http/testing';
import test from 'ava';
import { createApi } from './api.ts';
import type { TokenSource } from './token.ts';

const setUp = (answers: (() => HttpAnswer)[]) => {
  let renewed = 1;
  const tokens: TokenSource = {
    token: () => Promise.resolve(`t${renewed}`),
    invalidate: (token) => {
      if (token === `t${renewed}`) renewed += 1;
    },
  };
  const http = scriptedHttp(() => (answers.shift() ?? (() => httpAnswer(500)))());
  return { http, api: createApi('https://api.example', http, tokens) };
};

const sent = (http: ReturnType<typeof setUp>['http']) => http.requests.map(({ headers }) => headers?.['authorization']);

test('a GET carries the token and gives the JSON', async (t) => {
  const { http, api } = setUp([() => httpAnswer(200, { a: 1 })]);
  t.deepEqual(await api.get('/v2/x/'), { a: 1 });
  t.like(http.requests[0], { method: 'GET', url: 'https://api.example/v2/x/', connectMs: 3_000, totalMs: 20_000 });
  t.deepEqual(sent(http), ['Bearer t1']);
});

for (const status of [302, 401])
  test(`${status} renews the token and asks once more`, async (t) => {
    const { http, api } = setUp([() => httpAnswer(status), () => httpAnswer(200, [])]);
    t.deepEqual(await api.get('/x'), []);
    t.deepEqual(sent(http), ['Bearer t1', 'Bearer t2']);
  });

test('a renewed token that is not taken either is a transient failure, after two calls', async (t) => {
  const { http, api } = setUp([() => httpAnswer(302), () => httpAnswer(401), () => httpAnswer(200)]);
  t.true(isRelayError(await t.throwsAsync(api.get('/x')), 'platform_unavailable'));
  t.is(http.requests.length, 2);
});

test('404 is undefined', async (t) => {
  t.is(await setUp([() => httpAnswer(404, { detail: 'Not found.' })]).api.get('/x'), undefined);
});

test('broken answers are the platform’s unavailability, and never ambiguous', async (t) => {
  for (const answer of [
    () => httpAnswer(200, '[{"half"'),
    () => broken('http_reset', { ambiguous: true }),
    () => httpAnswer(502),
  ]) {
    const error = await t.throwsAsync(setUp([answer]).api.get('/x'), { instanceOf: RelayError });
    t.is(error.code, 'platform_unavailable');
    t.false(error.ambiguous);
  }
});

import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { clientFor, loopbackServer } from './loopback.ts';
import { cutResponse } from './responder.ts';

test('responders of a loopback server answer, reset the connection, and break off a body that has begun', async (t) => {
  const { origin, requests } = await loopbackServer(t, [
    ({ query, body }) => Response.json([query.get('a'), body], { status: 201, headers: { 'retry-after': '7' } }),
    () => Response.error(),
    () => cutResponse('{"ha', { status: 502 }),
  ]);
  const client = clientFor(t);
  const first = await client.request({ method: 'PUT', url: `${origin}/x?a=b`, body: 'ü' });
  t.like(first, { status: 201, retryAfterMs: 7_000 });
  t.deepEqual(first.json(), ['b', 'ü']);
  for (const status of [undefined, 502]) {
    const error = await t.throwsAsync(client.request({ method: 'GET', url: origin }), { instanceOf: RelayError });
    t.is(error.code, 'http_reset');
    t.is(error.details['status'], status);
    t.true(error.ambiguous);
  }
  t.like(requests[0], { method: 'PUT', url: '/x?a=b', path: '/x', body: 'ü' });
  t.is(requests.length, 3);
});

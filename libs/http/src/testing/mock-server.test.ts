import { RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { clientFor, loopbackServer } from './loopback.ts';
import { mockServer } from './mock-server.ts';

test.serial('requests are recorded and answered in turn, the last answer is given from then on', async (t) => {
  const { origin, requests } = await mockServer(t, [
    ({ body }) => Response.json({ body }, { status: 201, headers: { 'retry-after': '7' } }),
    () => new Response(null, { status: 204 }),
  ]);
  const client = clientFor(t);
  const first = await client.request({
    method: 'PATCH',
    url: `${origin}/a%20b?c=%20d`,
    json: 1,
    headers: { apikey: 'k' },
  });
  t.like(first, { status: 201, retryAfterMs: 7_000 });
  t.deepEqual(first.json(), { body: '1' });
  for (const _ of [2, 3]) t.is((await client.request({ method: 'GET', url: origin })).status, 204);
  t.is(requests.length, 3);
  t.like(requests[0], { method: 'PATCH', url: '/a%20b?c=%20d', path: '/a%20b', headers: { apikey: 'k' }, body: '1' });
  t.is(requests[0]?.query.get('c'), ' d');
});

test.serial('requests to other origins fail until the last mock server is closed', async (t) => {
  const teardowns: (() => void)[] = [];
  const owner = { teardown: (close: () => void) => teardowns.push(close) } as unknown as ExecutionContext;
  const [, second] = [await mockServer(owner, () => new Response()), await mockServer(owner, () => new Response())];
  const elsewhere = await loopbackServer(t, () => Response.json({}));
  const client = clientFor(t);
  const statusOf = async (url: string) => (await client.request({ method: 'GET', url })).status;
  const [closeFirst, closeSecond] = teardowns;
  closeFirst?.();
  t.is(await statusOf(second.origin), 200);
  await t.throwsAsync(statusOf(elsewhere.origin), { instanceOf: RelayError });
  closeSecond?.();
  t.is(await statusOf(elsewhere.origin), 200);
  await t.throwsAsync(statusOf(second.origin), { instanceOf: RelayError });
});

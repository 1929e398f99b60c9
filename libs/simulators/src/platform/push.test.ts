import test, { type ExecutionContext } from 'ava';
import { json, type SimRequest } from '../http/answer.ts';
import { startServer } from '../http/server.ts';
import { manualClock } from '../test/manual-clock.ts';
import { seeded } from '../time/random.ts';
import { envelopeMaker, type PushEnvelope } from './envelope.ts';
import { createPusher, type Pushed } from './push.ts';

/** A service that answers the given statuses in turn, the last one for ever. */
const startService = async (t: ExecutionContext, statuses: readonly number[]) => {
  const got: { path: string; body: PushEnvelope; headers: SimRequest['headers'] }[] = [];
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    async handle(request) {
      const body = JSON.parse((await request.body()).toString()) as PushEnvelope;
      const status = statuses[Math.min(got.length, statuses.length - 1)] ?? 200;
      got.push({ path: request.path, body, headers: request.headers });
      return json(status, {}, { location: '/elsewhere' });
    },
  });
  const clock = manualClock();
  const pusher = createPusher({ clock, random: seeded(1), bearer: 'secret' });
  t.teardown(async () => {
    pusher.close();
    await server.close();
  });
  return {
    got,
    url: `${server.url}/push-data`,
    base: server.url,
    clock,
    pusher,
    make: envelopeMaker(clock, seeded(2)),
  };
};

for (const status of [200, 201, 202, 204])
  test(`${status} acknowledges a push`, async (t) => {
    const { url, pusher, make, got } = await startService(t, [status]);
    const pushed = await pusher.push(url, make({ a: 1 }));
    t.like(pushed, { acked: true, statuses: [status] });
    t.is(got.length, 1);
    t.is(got[0]?.headers['authorization'], 'Bearer secret');
  });

test('anything else is delivered again after 10 to 600 s, redirects too, counting the attempts', async (t) => {
  const { url, pusher, make, got, clock } = await startService(t, [500, 307, 404, 503, 500, 500, 500, 500, 200]);
  const pushing = pusher.push(url, make({ a: 1 }, { destination_id: 'x' }));
  const waits: number[] = [];
  while (waits.length < 8) waits.push((await clock.toNextTimer()) / 1000);
  t.true((await pushing).acked);
  t.deepEqual(waits, [10, 20, 40, 80, 160, 320, 600, 600]);
  t.deepEqual(
    got.map(({ body }) => body.deliveryAttempt),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  t.is(new Set(got.map(({ body }) => body.message.messageId)).size, 1);
});

test('a push is given up after seven days', async (t) => {
  const { url, pusher, make, clock } = await startService(t, [500]);
  const start = clock.now();
  const pushing = pusher.push(url, make({}));
  let ended: Pushed | undefined;
  while (!ended) ended = await Promise.race([clock.toNextTimer().then(() => undefined), pushing]);
  t.false(ended.acked);
  t.true(clock.now() - start > 6.9 * 86_400_000);
});

test('many pushes arrive mixed, and twice when asked so', async (t) => {
  const { url, pusher, make, got } = await startService(t, [200]);
  const envelopes = Array.from({ length: 20 }, (_, n) => make({ n }));
  await pusher.pushAll(url, envelopes, 2);
  const ids = got.map(({ body }) => Number(body.message.messageId));
  t.is(ids.length, 40);
  t.is(new Set(ids).size, 20);
  t.notDeepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
});

test('an execute call goes to its path with the token', async (t) => {
  const { base, pusher, got } = await startService(t, [200]);
  await pusher.execute(`${base}/`, { integration_id: 'x', action_id: 'auth' });
  t.is(got[0]?.path, '/v1/actions/execute');
});

test('an envelope carries its data in base64', (t) => {
  const { data } = envelopeMaker(manualClock(), seeded(1))({ a: 'ü' }).message;
  t.is(Buffer.from(data, 'base64').toString(), '{"a":"ü"}');
});

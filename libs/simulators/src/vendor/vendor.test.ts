import { join } from 'node:path';
import test from 'ava';
import type { SimulatedResponse } from '../http/answer.ts';
import { manualClock } from '../test/manual-clock.ts';
import { startReceiver } from '../test/receiver.ts';
import { scratch, until } from '../test/harness.ts';
import { seeded } from '../time/random.ts';
import { createVendor } from './vendor.ts';

const ok: SimulatedResponse = { status: 200, body: '{"total_observations":1,"total_messages":0}' };
const events = (count: number, imei = '300434030000000', from = 0) =>
  Array.from({ length: count }, (_, n) => ({ imei, n: from + n }));

test('events travel in an envelope with the token in its own header', async (t) => {
  const { vendor, got } = await startReceiver(t, [ok], { headers: { 'x-integration-id': 'a' } });
  vendor.send(events(2));
  await vendor.idle();
  t.deepEqual(JSON.parse(got[0]?.body ?? ''), { Version: '3.0', Events: events(2) });
  t.like(got[0]?.request, { method: 'POST', path: '/webhooks' });
  t.like(got[0]?.request.headers, {
    'x-outbound-auth-token': 'token',
    'x-integration-id': 'a',
    'content-type': 'application/json',
  });
  t.is(got[0]?.request.headers['authorization'], undefined);
});

test('the token can be a bearer token, or none', async (t) => {
  const bearer = await startReceiver(t, [ok], { auth: { bearer: 'b' } });
  bearer.vendor.send(events(1));
  await bearer.vendor.idle();
  t.is(bearer.got[0]?.request.headers['authorization'], 'Bearer b');
  const none = await startReceiver(t, [ok], { auth: 'none' });
  none.vendor.send(events(1));
  await none.vendor.idle();
  t.is(none.got[0]?.request.headers['x-outbound-auth-token'], undefined);
});

for (const status of [201, 202, 204, 301, 307, 400, 401, 404, 413, 429, 500, 503])
  test(`${status} is a failure: the same body comes again, and nobody follows a redirect`, async (t) => {
    const { vendor, got, clock } = await startReceiver(t, [{ status, headers: { location: '/elsewhere' } }, ok]);
    vendor.send(events(3));
    t.is(await clock.toNextTimer(), 2_000);
    await vendor.idle();
    t.is(got.length, 2);
    t.is(got[0]?.body, got[1]?.body);
    t.true(got.every(({ request }) => request.path === '/webhooks'));
  });

test('retries come after 2, 4, 8 … seconds, and one success resets them', async (t) => {
  const failure = { status: 500 };
  const { vendor, clock } = await startReceiver(t, [failure, failure, failure, failure, ok, failure, ok]);
  vendor.send(events(1));
  const waits: number[] = [];
  for (let n = 0; n < 4; n += 1) waits.push((await clock.toNextTimer()) / 1000);
  t.deepEqual(waits, [2, 4, 8, 16]);
  await vendor.idle();
  vendor.send(events(1));
  t.is(await clock.toNextTimer(), 2_000);
  await vendor.idle();
});

test('five cycles of failure suspend the feed until someone resumes it', async (t) => {
  const { vendor, clock, server, got } = await startReceiver(t, [ok]);
  await server.goDown();
  const start = clock.now();
  vendor.send(events(1));
  let paused = 0;
  while (vendor.state() !== 'suspended') {
    await until(() => clock.pending() > 0 || vendor.state() === 'suspended');
    if (vendor.state() === 'paused') paused += 1;
    if (clock.pending() > 0) await clock.toNextTimer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(paused, 5);
  t.is(Math.round((clock.now() - start) / 86_400_000), 5);
  await server.comeUp();
  t.is(clock.pending(), 0);
  vendor.send(events(1, '300434030000000', 1));
  vendor.resume();
  await vendor.idle();
  t.deepEqual(
    got.flatMap(({ events: sent }) => sent.map(({ n }) => n)),
    [1],
  );
});

test('what is older than five days is dropped unsent', async (t) => {
  const { vendor, clock, got } = await startReceiver(t, [{ status: 500 }, ok]);
  vendor.send(events(2));
  await until(() => clock.pending() > 0);
  clock.advance(5 * 86_400_000 - 1);
  await vendor.idle();
  t.is(got.length, 2);
  const late = await startReceiver(t, [{ status: 500 }, ok]);
  late.vendor.send(events(2));
  await until(() => late.clock.pending() > 0);
  late.vendor.send(events(1, '300434030000001', 9));
  late.clock.advance(5 * 86_400_000 + 1);
  await late.vendor.idle();
  t.is(late.got.length, 1);
  t.is(late.vendor.waiting(), 0);
});

test('one queue: nothing overtakes a POST that fails', async (t) => {
  const { vendor, clock, got } = await startReceiver(t, [{ status: 500 }, ok], { maxEventsPerPost: 2 });
  vendor.send(events(5));
  await clock.toNextTimer();
  await vendor.idle();
  t.deepEqual(
    got.map(({ events: sent }) => sent.map(({ n }) => n)),
    [[0, 1], [0, 1], [2, 3], [4]],
  );
});

test('over several connections the order of each device holds', async (t) => {
  const { vendor, got } = await startReceiver(t, [ok], { connections: 4, maxEventsPerPost: 3 });
  const imeis = Array.from({ length: 9 }, (_, n) => `30043403000000${n}`);
  for (let n = 0; n < 30; n += 1) vendor.send(imeis.flatMap((imei) => events(1, imei, n)));
  await vendor.idle();
  for (const imei of imeis) {
    const order = got.flatMap(({ events: sent }) => sent.filter((event) => event.imei === imei).map(({ n }) => n));
    t.deepEqual(
      order,
      Array.from({ length: 30 }, (_, n) => n),
    );
  }
});

test('an answer that does not come in time is a failure', async (t) => {
  const { vendor, clock, got } = await startReceiver(t, [{ status: 0, delivery: 'hang' }, ok], { clientTimeoutMs: 50 });
  vendor.send(events(1));
  const idle = vendor.idle().then(() => true);
  while (!(await Promise.race([clock.toNextTimer().then(() => false), idle])));
  t.true(got.length >= 2);
  t.is(got[0]?.body, got.at(-1)?.body);
});

test('a vendor that closes before the answer sends the same again', async (t) => {
  const { vendor, clock, got } = await startReceiver(t, [ok]);
  vendor.misbehave('close_before_answer');
  vendor.send(events(1));
  t.is(await clock.toNextTimer(), 2_000);
  await vendor.idle();
  t.true(got.length >= 1);
});

test('an acknowledged body can come again, and a body twice at once', async (t) => {
  const { vendor, got } = await startReceiver(t, [ok]);
  vendor.misbehave('repeat');
  vendor.send(events(1));
  await vendor.idle();
  t.is(got.length, 2);
  vendor.misbehave('parallel');
  vendor.send(events(1, '300434030000000', 5));
  await vendor.idle();
  t.is(got.length, 4);
  t.is(got[2]?.body, got[3]?.body);
});

test('a retry can be grouped anew: the same events, in order, in other bodies', async (t) => {
  const { vendor, clock, got } = await startReceiver(t, [{ status: 500 }, ok], { maxEventsPerPost: 8 });
  vendor.misbehave('regroup');
  vendor.send(events(8));
  await clock.toNextTimer();
  await vendor.idle();
  t.not(got[1]?.events.length, 8);
  t.deepEqual(
    got.slice(1).flatMap(({ events: sent }) => sent.map(({ n }) => n)),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
});

test('what was not acknowledged survives the vendor and is sent by the next one', async (t) => {
  const stateFile = join(scratch(t), 'outbox');
  const { vendor, got, server } = await startReceiver(t, [ok, { status: 500 }, ok], { stateFile, maxEventsPerPost: 2 });
  vendor.send(events(2));
  await vendor.idle();
  vendor.send(events(4, '300434030000000', 2));
  await until(() => got.length === 2);
  await vendor.close();
  const next = createVendor({
    targetUrl: `${server.url}/webhooks`,
    auth: 'none',
    clock: manualClock(),
    random: seeded(1),
    stateFile,
  });
  await next.idle();
  await next.close();
  t.deepEqual(
    got.slice(2).flatMap(({ events: sent }) => sent.map(({ n }) => n)),
    [2, 3, 4, 5],
  );
});

import test, { type ExecutionContext } from 'ava';
import type { DeviceEvent } from '../fleet/device-event.ts';
import { createClient } from '../http/client.ts';
import type { Fault } from '../switches/fault.ts';
import { manualClock } from '../test/manual-clock.ts';
import { bodyOf, until } from '../test/harness.ts';
import { startVendorInbound, type InboundOptions } from './start.ts';

const imei = '300434030000000';
const other = '300434030000001';

const startInbound = async (t: ExecutionContext, options: Partial<InboundOptions> = {}) => {
  const clock = manualClock();
  const inbound = await startVendorInbound({
    host: '127.0.0.1',
    port: 0,
    clock,
    username: 'ops',
    password: 'päss',
    devices: [imei, other],
    ...options,
  });
  const client = createClient();
  t.teardown(async () => {
    client.close();
    await inbound.close();
  });
  const authorization = `Basic ${Buffer.from('ops:päss').toString('base64')}`;
  const call = (path: string, body: string, headers: Readonly<Record<string, string>> = { authorization }) =>
    client.send({ method: 'POST', url: `${inbound.url}/IPCInbound/V1/${path}`, headers, body, timeoutMs: 5_000 });
  const message = (change: Readonly<Record<string, unknown>> = {}) => ({
    Recipients: [imei],
    Sender: 'ops@site.example',
    Timestamp: `/Date(${clock.now()})/`,
    Message: 'Return to camp',
    ...change,
  });
  return {
    inbound,
    clock,
    call,
    send: (...messages: object[]) => call('Messaging.svc/Message', JSON.stringify({ Messages: messages })),
    message,
    ping: (headers?: Readonly<Record<string, string>>) => call('Pingback.svc/PingbackRequest', '{}', headers),
  };
};

test('an accepted text is counted for its recipient', async (t) => {
  const { inbound, send, message } = await startInbound(t);
  const reply = await send(message(), message({ Recipients: [imei, other], Message: 'Again' }));
  t.is(reply.status, 200);
  t.deepEqual([inbound.accepted(imei), inbound.accepted(other), inbound.accepted('9')], [2, 1, 0]);
  t.deepEqual(
    inbound.messages().map(({ text }) => text),
    ['Return to camp', 'Again'],
  );
});

test('without credentials 401, with wrong ones 403 and code 3, before the body is looked at', async (t) => {
  const { call, ping, inbound } = await startInbound(t);
  t.is((await call('Messaging.svc/Message', 'no json', {})).status, 401);
  for (const pair of ['ops:wrong', 'other:päss', 'ops', '']) {
    const authorization = `Basic ${Buffer.from(pair).toString('base64') || 'x'}`;
    const reply = await call('Messaging.svc/Message', 'no json', { authorization });
    t.is(reply.status, 403);
    t.like(bodyOf(reply), { Code: 3, Message: 'Invalid username or password', IMEI: null });
    t.is((await ping({ authorization })).status, 403);
  }
  t.deepEqual(inbound.messages(), []);
});

test('one bad text refuses the whole call with 422 and its code', async (t) => {
  const { inbound, send, message } = await startInbound(t);
  const reply = await send(message(), message({ Message: '' }));
  t.is(reply.status, 422);
  t.like(bodyOf(reply), { Code: 5, URL: '/IPCInbound/V1/Messaging.svc/Message' });
  t.is(inbound.accepted(imei), 0);
  t.is((await send()).status, 422);
});

test('a text for a known and an unknown device is refused for the unknown one, and sent to neither', async (t) => {
  const { inbound, send, message } = await startInbound(t);
  const reply = await send(message({ Recipients: [imei, '9'] }));
  t.deepEqual(bodyOf<{ IMEI: string[] }>(reply).IMEI, ['9']);
  t.is(inbound.accepted(imei), 0);
});

test('a pingback answers 2xx without a body and causes a code 65 event', async (t) => {
  const events: DeviceEvent[] = [];
  const { ping, clock } = await startInbound(t, { onPingback: (event) => events.push(event) });
  const reply = await ping();
  t.deepEqual([reply.status, reply.body], [200, '']);
  t.like(events[0], { imei, messageCode: 65, pingbackReceived: clock.now() });
});

const refusing: readonly (readonly [name: string, fault: Fault, status: number | null, texts: number])[] = [
  ['a status', { fault: 'status', status: 500 }, 500, 0],
  ['a reset after the text is taken', { fault: 'reset', when: 'after' }, null, 1],
];
for (const [name, fault, status, texts] of refusing)
  test(`switch: ${name}`, async (t) => {
    const { inbound, send, message } = await startInbound(t);
    inbound.switches.set({ ...fault, count: 1 });
    t.is((await send(message())).status, status);
    t.is(inbound.accepted(imei), texts);
    t.is((await send(message())).status, 200);
    t.is(inbound.accepted(imei), texts + 1);
  });

test('switch: accept, then hang: the text is counted although no answer comes', async (t) => {
  const { inbound, send, message } = await startInbound(t);
  inbound.switches.set({ fault: 'hang', when: 'after' });
  const asked = send(message());
  await until(() => inbound.accepted(imei) === 1);
  await inbound.goDown();
  t.is((await asked).status, null);
});

test('switch: 429 says how long to wait; a switch for one endpoint leaves the other alone', async (t) => {
  const { inbound, send, message, ping } = await startInbound(t);
  inbound.switches.set({ fault: 'status', status: 429, retry_after: 5, endpoint: 'message' });
  t.is((await send(message())).headers['retry-after'], '5');
  t.is((await ping()).status, 200);
  t.deepEqual(inbound.calls(), { 'message 429': 1, 'pingback 200': 1 });
});

test('a service that is down refuses connections and comes back on its port', async (t) => {
  const { inbound, send, message } = await startInbound(t);
  await inbound.goDown();
  t.is((await send(message())).error, 'ECONNREFUSED');
  await inbound.comeUp();
  t.is((await send(message())).status, 200);
});

test('other paths are not there', async (t) => {
  const { call } = await startInbound(t);
  t.is((await call('Messaging.svc/Other', '{}')).status, 404);
});

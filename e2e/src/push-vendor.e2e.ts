import { inboundFaults, type Fault } from '@ranger-relay/simulators';
import test from 'ava';
import { devices, startPushers, type PusherHarness } from './harness/pusher.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const [device = ''] = devices;
let harness: PusherHarness;

test.before(async () => {
  harness = await startPushers({ integrations: [park], replicas: 1, env: { PUSH_TIMEOUT_S: '2' } });
});
test.after.always(() => harness?.remove());

const rows: readonly (readonly [string, Fault, status: number, taken: number, failed: number])[] = [
  ['401', inboundFaults.unauthorizedBare, 500, 1, 1],
  ['403', inboundFaults.forbiddenBare, 500, 1, 1],
  ['422 with an unknown code', inboundFaults.unknownCodeRefused, 200, 0, 1],
  ['422 with a list', inboundFaults.errorAsArray, 500, 1, 1],
  ['429 that asks for a long wait', inboundFaults.tooMany(120), 500, 1, 1],
  ['429 that asks for a short wait', inboundFaults.tooMany(1), 200, 1, 0],
  ['500 code 1', inboundFaults.internalError, 500, 1, 1],
  ['500 with an unknown code', inboundFaults.unknownCodeFailed, 500, 1, 1],
  ['502', inboundFaults.badGateway, 500, 1, 1],
  ['503', inboundFaults.unavailable, 500, 1, 1],
  ['504', inboundFaults.gatewayTimeout, 500, 1, 1],
  ['504 with a code, after it is taken', inboundFaults.gatewayTimeoutAfterSending(1), 500, 2, 1],
  ['200 with an error body, after it is taken', inboundFaults.acceptedWithError(4), 500, 2, 1],
  ['a redirect', inboundFaults.redirectTo('http://127.0.0.1:1/'), 500, 1, 1],
  ['a reset before it is taken', { fault: 'reset' }, 500, 1, 1],
  ['a reset after it is taken', inboundFaults.acceptThenReset, 500, 2, 1],
  ['half of a good answer', { fault: 'half_body' }, 200, 1, 0],
  ['no answer after it is taken', inboundFaults.acceptThenHang, 500, 2, 1],
  ['200 with an empty body', inboundFaults.emptyAnswer, 200, 1, 0],
  ['200 with a page', inboundFaults.htmlAnswer, 200, 1, 0],
  ['200 with a count', inboundFaults.countAnswer, 200, 1, 0],
];
for (const [what, fault, status, taken, failed] of rows)
  test.serial(`${what}: answered ${status}, taken ${taken} times in the end`, async (t) => {
    const { vendor, replicas, textFor } = harness;
    const [replica] = replicas;
    if (!replica) return t.fail();
    const text = textFor(park, device);
    const id = vendor.switches.set({ ...fault, endpoint: 'message', count: 1 });
    t.is((await harness.once(text, replica)).status, status);
    vendor.switches.clear(id);
    t.true((await harness.push(text, replica)).acked);
    t.is(harness.timesTaken(text), taken);
    const letters = (await harness.letters()).filter(({ body_base64: body }) =>
      Buffer.from(body, 'base64').toString().includes(`"${text.text}"`),
    );
    t.is(letters.length, taken === 0 ? 1 : 0);
    const failures = async (): Promise<number> =>
      (await harness.entries()).filter(
        ({ event_type: type, payload }) =>
          type === 'IntegrationActionFailed' && JSON.stringify(payload).includes(`"${text.id}"`),
      ).length;
    await until('its failures are told', async () => (await failures()) >= failed);
    t.is(await failures(), failed);
    return undefined;
  });

test.serial('a vendor that refuses connections and comes back gets the text once', async (t) => {
  const { vendor, replicas, textFor } = harness;
  const [replica] = replicas;
  if (!replica) return t.fail();
  const text = textFor(park, device);
  await vendor.goDown();
  t.is((await harness.once(text, replica)).status, 500);
  await vendor.comeUp();
  t.true((await harness.push(text, replica)).acked);
  t.is(harness.timesTaken(text), 1);
  return undefined;
});

test.serial('neither texts nor credentials are in logs or the activity log', async (t) => {
  const said = `${harness.replicas.map((replica) => replica.process().output()).join('')}${JSON.stringify(await harness.entries())}`;
  t.true(said.length > 1_000);
  t.notRegex(said, /text \d|p4ssword/);
});

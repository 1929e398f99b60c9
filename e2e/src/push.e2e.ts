import { topics } from '@ranger-relay/contracts';
import type { Fault } from '@ranger-relay/simulators';
import test from 'ava';
import type { Replica } from './harness/cluster.ts';
import { devices, startPushers, type PusherHarness, type SentText } from './harness/pusher.ts';
import { until } from './harness/until.ts';

const parks = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'] as const;
const [park] = parks;
const [device = ''] = devices;
let harness: PusherHarness;
let replica: Replica;

test.before(async () => {
  harness = await startPushers({ integrations: parks, replicas: 1, env: { PUSH_TIMEOUT_S: '2' } });
  replica = harness.replicas[0] as Replica;
});
test.after.always(() => harness?.remove());

const lettersFor = async ({ text }: SentText) =>
  (await harness.letters()).filter(({ body_base64: body }) =>
    Buffer.from(body, 'base64').toString().includes(`"${text}"`),
  );

/** The body of a refusal, as the vendor words it. */
const refusalBody = (Code: number, Message: string): string =>
  JSON.stringify({ Code, Description: '', IMEI: null, Message, URL: '' });

const tooMany: Fault = { fault: 'status', status: 429, retry_after: 1, body: refusalBody(2, 'Too many requests') };
const redirect: Fault = { fault: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
const webPage: Fault = {
  fault: 'status',
  status: 200,
  when: 'after',
  headers: { 'content-type': 'text/html' },
  body: '<html><body>OK</body></html>',
};
const unknownCode: Fault = { fault: 'status', status: 422, body: refusalBody(99, 'Something new') };

/** Faults of a connection; what each status and body means is shown by the tests of the client. */
const rows: readonly (readonly [string, Fault, status: number, taken: number, failed: number])[] = [
  ['429 that asks for a short wait', tooMany, 200, 1, 0],
  ['a redirect', redirect, 500, 1, 1],
  ['a reset before it is taken', { fault: 'reset' }, 500, 1, 1],
  ['a reset after it is taken', { fault: 'reset', when: 'after' }, 500, 2, 1],
  ['half of a good answer', { fault: 'half_body' }, 500, 2, 1],
  ['a web page after it is taken', webPage, 500, 2, 1],
  ['no answer after it is taken', { fault: 'hang', when: 'after' }, 500, 2, 1],
];
for (const [what, fault, status, taken, failed] of rows)
  test.serial(`${what}: answered ${status}, taken ${taken} times in the end`, async (t) => {
    const { vendor, textFor } = harness;
    const text = textFor(park, device);
    const id = vendor.switches.set({ ...fault, endpoint: 'message', count: 1 });
    t.is((await harness.once(text, replica)).status, status);
    vendor.switches.clear(id);
    t.true((await harness.push(text, replica)).acked);
    t.is(harness.timesTaken(text), taken);
    t.deepEqual(await lettersFor(text), []);
    const failures = async (): Promise<number> =>
      (await harness.entries()).filter(
        ({ event_type: type, payload }) =>
          type === 'IntegrationActionFailed' && payload.request_data?.includes(`"${text.id}"`),
      ).length;
    await until('its failures are told', async () => (await failures()) >= failed);
    t.is(await failures(), failed);
  });

test.serial('a vendor that refuses connections and comes back gets the text once', async (t) => {
  const { vendor, textFor } = harness;
  const text = textFor(park, device);
  await vendor.goDown();
  t.is((await harness.once(text, replica)).status, 500);
  await vendor.comeUp();
  t.true((await harness.push(text, replica)).acked);
  t.is(harness.timesTaken(text), 1);
});

/** Publishes a text `copies` times. */
const publish = async ({ envelope, device: to }: SentText, copies = 1): Promise<void> => {
  const data: unknown = JSON.parse(Buffer.from(envelope.message.data, 'base64').toString());
  const value = JSON.stringify({ v: 1, attributes: envelope.message.attributes, data });
  const records = Array.from({ length: copies }, () => ({ key: `${park}:${to}`, value }));
  await harness.bus.publish(topics.outboundMessages.name, records);
};

test.serial('texts on the topic are sent once, however often they lie there', async (t) => {
  const texts = devices.map((each) => harness.textFor(park, each));
  for (const [index, text] of texts.entries()) await publish(text, index % 5 === 0 ? 3 : 1);
  await until('all are taken', () => texts.every((text) => harness.timesTaken(text) > 0));
  const last = harness.textFor(park, device);
  await publish(last);
  await until('the last one is taken', () => harness.timesTaken(last) > 0);
  const others = texts.filter((text) => harness.timesTaken(text) !== 1);
  t.deepEqual(others, []);
});

test.serial('a refused text is one dead letter, and its replay is sent once the cause is fixed', async (t) => {
  const refused = harness.textFor(park, device);
  harness.vendor.switches.set({ ...unknownCode, endpoint: 'message', count: 1 });
  await publish(refused);
  await until('its dead letter is there', async () => (await lettersFor(refused)).length === 1);
  const [letter] = await lettersFor(refused);
  t.like(letter, { kind: 'push_message', reason: 'vendor_refused', integration_id: park });
  t.is(letter?.origin?.topic, 'outbound-messages');
  const list = await harness.cluster.relay('dlq', 'list');
  t.regex(list.stdout, /push_message +vendor_refused/);
  t.notRegex(list.stdout, /text \d/);
  const { code, stdout } = await harness.cluster.relay('dlq', 'replay', letter?.id ?? '');
  t.is(code, 0, stdout);
  await until('it is taken', () => harness.timesTaken(refused) === 1);
  t.is((await harness.cluster.relay('dlq', 'replay', letter?.id ?? '')).code, 1, 'a letter is replayed once');
});

test.serial(
  'kill -9 between acceptance and its record: resend repeats what was in flight, hold holds it, and nothing else is touched',
  async (t) => {
    t.timeout(120_000);
    const { vendor, cluster } = harness;
    await replica.stop();
    const holds = await cluster.add('message-pusher');
    const pushers = [
      { policy: 'resend', to: parks[0], worker: replica },
      { policy: 'hold', to: parks[1], worker: holds },
    ] as const;
    const startAll = () =>
      Promise.all(pushers.map(({ worker, policy }) => worker.start({ PUSH_AMBIGUOUS: policy, PUSH_TIMEOUT_S: '10' })));
    const deliver = (texts: readonly (readonly SentText[])[]) =>
      texts.flatMap((list, at) => list.map((text) => harness.push(text, pushers[at]?.worker as Replica)));
    const newTexts = (): SentText[][] =>
      pushers.map(({ to }, at) =>
        Array.from({ length: 3 }, (_, n) => harness.textFor(to, devices[5 * at + n] as string)),
      );
    await startAll();
    const settled = newTexts();
    for (const { acked } of await Promise.all(deliver(settled))) t.true(acked);

    const hang = vendor.switches.set({ fault: 'hang', when: 'after', endpoint: 'message', count: pushers.length });
    const caught = newTexts();
    const running = deliver(caught);
    const inFlight = (): SentText[] => caught.flat().filter((text) => harness.timesTaken(text) > 0);
    await until('one call of each integration hangs', () => inFlight().length === pushers.length);
    const open = inFlight();
    await Promise.all(pushers.map(({ worker }) => worker.kill()));
    vendor.switches.clear(hang);
    await startAll();
    for (const { acked } of await Promise.all([...running, ...deliver(settled)])) t.true(acked);
    await holds.stop();

    for (const [at, { policy }] of pushers.entries())
      for (const text of [settled, caught].flatMap((texts) => texts[at] ?? [])) {
        const isResent = policy === 'resend' && open.includes(text);
        const isHeld = policy === 'hold' && open.includes(text);
        t.is(harness.timesTaken(text), isResent ? 2 : 1);
        const reasons = (await lettersFor(text)).map(({ reason }) => reason);
        t.deepEqual(reasons, isHeld ? ['ambiguous'] : []);
      }
  },
);

test.serial('neither texts nor credentials are in logs or the activity log', async (t) => {
  const said = `${replica.process().output()}${JSON.stringify(await harness.entries())}`;
  t.true(said.length > 1_000);
  t.notRegex(said, /text \d|p4ssword/);
});

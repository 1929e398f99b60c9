import { topics } from '@ranger-relay/contracts';
import { inboundFaults } from '@ranger-relay/simulators';
import test from 'ava';
import { devices, startPushers, type PusherHarness, type SentText } from './harness/pusher.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const [well = '', broken = ''] = devices;
const stranger = '300434039999999';
let harness: PusherHarness;

test.before(async () => {
  harness = await startPushers({ integrations: [park], replicas: 1 });
});
test.after.always(() => harness?.remove());

/** Publishes a text `copies` times. */
const publish = async ({ envelope, device }: SentText, copies = 1): Promise<void> => {
  const data: unknown = JSON.parse(Buffer.from(envelope.message.data, 'base64').toString());
  const value = JSON.stringify({ v: 1, attributes: envelope.message.attributes, data });
  const record = { key: `${park}:${device}`, value };
  await harness.bus.publish(
    topics.outboundMessages.name,
    Array.from({ length: copies }, () => record),
  );
};

const lettersFor = async ({ text }: SentText) =>
  (await harness.letters()).filter(({ body_base64: body }) =>
    Buffer.from(body, 'base64').toString().includes(`"${text}"`),
  );

test.serial('texts on the topic are sent once, however often they lie there', async (t) => {
  const texts = devices.map((device) => harness.textFor(park, device));
  for (const [index, text] of texts.entries()) await publish(text, index % 5 === 0 ? 3 : 1);
  await until('all are taken', () => texts.every((text) => harness.timesTaken(text) > 0), 30_000);
  const last = harness.textFor(park, well);
  await publish(last);
  await until('the last one is taken', () => harness.timesTaken(last) > 0);
  t.deepEqual(
    texts.filter((text) => harness.timesTaken(text) !== 1),
    [],
  );
});

test.serial('a device whose text has to wait keeps no other back', async (t) => {
  const before = harness.vendor.calls()['message 503'] ?? 0;
  const [waits, goes] = [harness.textFor(park, broken), harness.textFor(park, well)];
  const fault = harness.vendor.switches.set({ ...inboundFaults.unavailable, endpoint: 'message', count: 1 });
  await publish(waits);
  await until('it has failed', () => (harness.vendor.calls()['message 503'] ?? 0) > before);
  await publish(goes);
  await until('the other is taken', () => harness.timesTaken(goes) === 1);
  harness.vendor.switches.clear(fault);
  await until('it is taken at last', () => harness.timesTaken(waits) === 1, 20_000);
  t.deepEqual(await lettersFor(waits), []);
});

test.serial('a refused text is one dead letter, and its replay is sent once the cause is fixed', async (t) => {
  const refused = harness.textFor(park, well);
  harness.vendor.switches.set({ ...inboundFaults.unknownCodeRefused, endpoint: 'message', count: 1 });
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
  'a device that the account has not, and a record that is none, are dead letters and hold nothing up',
  async (t) => {
    const lost = harness.textFor(park, stranger);
    const good = harness.textFor(park, well);
    await harness.bus.publish(topics.outboundMessages.name, [{ key: `${park}:${well}`, value: 'nonsense' }]);
    await publish(lost);
    await publish(good);
    await until('the good one is taken', () => harness.timesTaken(good) === 1);
    await until('the other is a letter', async () => (await lettersFor(lost)).length === 1);
    t.true(
      (await harness.letters()).some(({ kind, reason }) => kind === 'push_message' && reason === 'record_unreadable'),
    );
  },
);

test.serial('a pusher that is ended goes on with what it had, and sends nothing twice', async (t) => {
  const [replica] = harness.replicas;
  const slow = harness.vendor.switches.set({ fault: 'slow', ms: 30, endpoint: 'message' });
  const texts = devices.map((device) => harness.textFor(park, device));
  for (const text of texts) await publish(text);
  await until('some are taken', () => texts.some((text) => harness.timesTaken(text) > 0));
  const takenBefore = texts.filter((text) => harness.timesTaken(text) > 0);
  await replica?.stop();
  const takenAtTheEnd = texts.filter((text) => harness.timesTaken(text) > 0).length;
  await replica?.start();
  harness.vendor.switches.clear(slow);
  await until('all are taken', () => texts.every((text) => harness.timesTaken(text) > 0), 40_000);
  t.log(`${takenBefore.length} taken before the end, ${takenAtTheEnd} at the end, of ${texts.length}`);
  t.deepEqual(
    texts.filter((text) => harness.timesTaken(text) !== 1),
    [],
  );
});

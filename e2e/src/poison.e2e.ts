import { randomUUID } from 'node:crypto';
import { partitionOf } from '@ranger-relay/bus';
import { topics, type SourceEvent } from '@ranger-relay/contracts';
import test from 'ava';
import { Kafka, logLevel, type Message, type Producer } from 'kafkajs';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { metric } from './harness/metrics.ts';
import { openBus, valuesOf } from './harness/records.ts';
import { event, send, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

// That a handler which throws a TypeError costs its record and not the consumer is shown on real brokers by the contract suite
// (bus-kafka.e2e.ts), case 'a handler that throws a TypeError costs the record, not the consumer'.

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const stranger = 'cccccccc-0000-4000-8000-000000000003';
const key = `${park}:300434030000001`;
const { name: topic, partitions } = topics.sourceEvents;
const partition = partitionOf(key, partitions);
let here: Cluster;

let producer: Producer;

test.before(async () => {
  here = await startCluster([park]);
  const brokers = here.kafka.addresses.split(',');
  producer = new Kafka({ brokers, clientId: 'poison', logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
});
test.after.always(async () => {
  await producer?.disconnect();
  await here?.remove();
});

interface Head {
  readonly reason: string;
  readonly integration_id: string | null;
}

interface Letter {
  readonly reason: string;
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: string };
  readonly detail: string;
  readonly body_base64: string;
}

/** Writes records directly to the partition of the valid ones, bypassing the product; returns their offsets, in order. */
const put = async (messages: readonly Message[]): Promise<string[]> => {
  const [answer] = await producer.send({
    topic,
    messages: messages.map((message) => ({ ...message, partition })),
    acks: -1,
  });
  return messages.map((_, index) => String(Number(answer?.baseOffset) + index));
};

const heads = async (): Promise<Head[]> => {
  const { code, stdout, stderr } = await here.relay('dlq', 'list', '--output', 'json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Head[];
};

const readable = (more: Partial<SourceEvent> & { readonly [field: string]: unknown } = {}): SourceEvent => ({
  v: 1,
  integration_id: park,
  event_id: randomUUID().replaceAll('-', '').repeat(2),
  received_at: new Date().toISOString(),
  source: '300434030000001',
  kind: 'device',
  message_code: 0,
  sos: null,
  observation: null,
  message: null,
  ...more,
});

const large = 'x'.repeat(900_000);

const bad: readonly { readonly what: string; readonly message: Message; readonly reason: string }[] = [
  { what: 'not JSON', message: { key, value: 'no json' }, reason: 'record_unreadable' },
  {
    what: 'bytes that are no text',
    message: { key, value: Buffer.from([0xff, 0xfe, 0, 1]) },
    reason: 'record_unreadable',
  },
  { what: 'JSON of another shape', message: { key, value: '[1,2,3]' }, reason: 'record_unreadable' },
  { what: 'empty', message: { key, value: '' }, reason: 'record_unreadable' },
  { what: 'without a value', message: { key, value: null }, reason: 'record_unreadable' },
  { what: 'without a key', message: { key: null, value: 'no key' }, reason: 'record_unreadable' },
  { what: '900 kB of nothing', message: { key, value: large }, reason: 'record_unreadable' },
];

test.serial(
  'each bad record becomes a dead letter that says where from and why; the good ones around them arrive in order',
  async (t) => {
    const [forwarder] = here.forwarders;
    await forwarder?.stop();
    const offsets: string[] = [];
    for (const [n, { message }] of bad.entries()) {
      await send(here, park, event(n));
      offsets.push(...(await put([message])));
    }
    await send(here, park, event(bad.length));
    await forwarder?.start();

    await untilStored(here, park, bad.length + 1);
    t.deepEqual(await storedNumbers(here, park), [...bad.keys(), bad.length]);
    await until('every bad record is a dead letter', async () => (await heads()).length >= bad.length);
    // As they lie on their topic, for what the list leaves out.
    const bus = openBus(here.env);
    const found = await valuesOf<Letter>(bus, topics.deadLetters.name).finally(() => bus.close());
    t.is(found.length, bad.length);
    for (const [index, { what, message, reason }] of bad.entries()) {
      const letter = found.find(({ origin }) => origin.offset === offsets[index]);
      t.deepEqual(letter?.origin, { topic, partition, offset: offsets[index] ?? '' }, what);
      t.is(letter?.reason, reason, what);
      t.true((letter?.detail.length ?? 0) > 10, what);
      t.deepEqual(Buffer.from(letter?.body_base64 ?? '', 'base64'), Buffer.from(message.value ?? ''), what);
    }
  },
);

const observation = (n: number) => ({
  source: 'x',
  source_name: 'x',
  type: 'gps-radio',
  subject_type: 'ranger',
  recorded_at: '2026-01-01T00:00:00Z',
  location: { lat: 1, lon: 2 },
  additional: { altitude: n },
});

test.serial(
  'thousands of events of an integration that nobody knows are parked, given up by no single answer, and hold up nobody',
  async (t) => {
    const count = 3_000;
    const values = Array.from({ length: count }, (_, n) =>
      JSON.stringify(readable({ integration_id: stranger, source: 'x', observation: observation(n) })),
    );
    const before = (await storedNumbers(here, park)).length;
    const lettersBefore = (await heads()).length;
    for (let sent = 0; sent < count; sent += 1_000)
      await put(values.slice(sent, sent + 1_000).map((value) => ({ key: `${stranger}:x`, value })));
    const from = performance.now();
    await send(here, park, event(500));
    await untilStored(here, park, before + 1);
    t.log(`the event behind ${count} strangers arrived after ${Math.round(performance.now() - from)} ms`);
    const url = here.forwarders[0]?.url ?? '';
    const parked = (): Promise<number> => metric(url, 'relay_events_parked_total');
    await until('the strangers are parked', async () => (await parked()) >= count, 120_000);
    t.log(`all parked after ${Math.round(performance.now() - from)} ms`);
    t.is((await heads()).length, lettersBefore);
  },
);

import type { Bus } from '@ranger-relay/bus';
import { commandsTopic, topics, type ActivityEvent, type DeadLetter } from '@ranger-relay/contracts';
import {
  createPusher,
  envelopeMaker,
  fastClock,
  seeded,
  simulatorClock,
  startVendorInbound,
  type InboundSimulator,
  type PushEnvelope,
  type Pushed,
} from '@ranger-relay/simulators';
import { startCluster, type Cluster, type Replica, type ReplicasOptions } from './cluster.ts';
import { createTopics, settingsFor } from './kafka/bus.ts';
import { checkCommands, openBus, valuesOf } from './records.ts';

/** A text to one device. */
export interface SentText {
  /** Of the delivery. */
  readonly id: string;
  readonly text: string;
  readonly device: string;
  readonly integration: string;
  readonly envelope: PushEnvelope;
}

/** Message pushers on a real Kafka and a real Redis, between the platform's pushing and the vendor's inbound service. */
export interface PusherHarness {
  readonly cluster: Cluster;
  readonly vendor: InboundSimulator;
  readonly replicas: readonly Replica[];
  readonly bus: Bus;
  /** A new text for a device of an integration. */
  textFor(integration: string, device: string): SentText;
  /** Delivers it to a replica until it is acknowledged; waits between deliveries pass three hundred times as fast. */
  push(text: SentText, replica: Replica): Promise<Pushed>;
  /** Delivers it once; the status, null without an answer. */
  once(text: SentText, replica: Replica): Promise<{ readonly status: number | null; readonly body: string }>;
  /** How often the vendor accepted a text. */
  timesTaken(text: SentText): number;
  letters(): Promise<DeadLetter[]>;
  entries(): Promise<ActivityEvent[]>;
  remove(): Promise<void>;
}

const token = 'e2e-caller-token';
const account = { username: 'fieldteam', password: 'e2e-p4ssword' };
const speed = 300;
const slug = 'device_connector';

/** Devices of the account. */
export const devices = Array.from({ length: 40 }, (_, n) => `3004340300${String(n).padStart(5, '0')}`);

const urlOf = ({ url }: Replica): string => `${url}/push-data`;

const pushing = (vendor: InboundSimulator) => {
  const pusher = createPusher({
    clock: fastClock(simulatorClock, speed),
    random: seeded(1),
    bearer: token,
    deadlineMs: 60_000,
  });
  const envelope = envelopeMaker(simulatorClock, seeded(2));
  let made = 0;
  return {
    close: pusher.close,
    push: (text: SentText, replica: Replica) => pusher.push(urlOf(replica), text.envelope),
    once: (text: SentText, replica: Replica) => pusher.once(urlOf(replica), JSON.stringify(text.envelope)),
    timesTaken: ({ text, device }: SentText): number =>
      vendor.messages().filter((taken) => taken.text === text && taken.recipients.includes(device)).length,
    textFor(integration: string, device: string): SentText {
      made += 1;
      const id = `delivery-${made}`;
      const text = `text ${made}`;
      const payload = {
        Message: text,
        Recipients: [device],
        Sender: 'ops@site.org',
        Timestamp: '2025-06-04 13:35:10+03:00',
      };
      const data = {
        event_id: id,
        timestamp: '2025-06-04',
        schema_version: 'v1',
        event_type: 'MessageTransformedInReach',
        payload,
      };
      const attributes = { destination_id: integration, delivery_id: id, stream_type: 'txt' };
      return { id, text, device, integration, envelope: envelope(data, attributes) };
    },
  };
};

const isolated = { ingesters: 0, forwarders: 0 } as const;

/** Starts everything; the replicas are ready. */
export const startPushers = async ({
  integrations,
  replicas: count,
  env = {},
}: ReplicasOptions): Promise<PusherHarness> => {
  const cluster = await startCluster(integrations, { ...isolated, env: { AUTH_TOKEN: token, ...env } });
  const vendor = await startVendorInbound({ host: '127.0.0.1', port: 0, clock: simulatorClock, ...account, devices });
  const auth = { api_url: vendor.url, ...account };
  for (const id of integrations)
    await cluster.platform.control('POST', `integrations/${id}`, { configurations: { auth, push_messages: {} } });
  await createTopics(settingsFor(cluster.kafka), [commandsTopic(slug)]);
  const replicas: Replica[] = [];
  for (let n = 0; n < count; n += 1) replicas.push(await cluster.add('message-pusher'));
  await Promise.all(replicas.map((replica) => replica.start()));
  const bus = openBus(cluster.env, slug);
  const { close, ...sending } = pushing(vendor);
  return {
    cluster,
    vendor,
    replicas,
    bus,
    ...sending,
    letters: () => valuesOf<DeadLetter>(bus, topics.deadLetters.name),
    entries: () => valuesOf<ActivityEvent>(bus, topics.integrationEvents.name),
    async remove() {
      close();
      try {
        await checkCommands(bus, slug);
      } finally {
        await bus.close();
        await cluster.remove();
        await vendor.close();
      }
    },
  };
};

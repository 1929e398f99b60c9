/** What a topic of the catalogue needs on Kafka. */
export type KafkaTopicSpec = Pick<TopicSpec, 'retentionMs' | 'maxRecordBytes'>;

/** A record travels in a batch with its key, headers and lengths. */
const batchRoom = 65_536;

/**
 * Copies that must have a record before it counts as stored: with three or more, one broker may be lost at any moment and nothing with it;
 * with fewer, a second one would stop all writing while a broker is away.
 */
export const minInsyncFor = (replicas: number): number => (replicas >= 3 ? 2 : 1);

/** Settings of a topic on Kafka, by their names there. */
export const kafkaTopicSettings = ({
  retentionMs,
  maxRecordBytes,
}: KafkaTopicSpec): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  // Others may write compressed; every reader can read what is stored without.
  'compression.type': 'uncompressed',
  'retention.ms': String(retentionMs),
  'max.message.bytes': String(maxRecordBytes + batchRoom),
});

/** Services of ours that speak to the bus. Consumer groups, and users of the brokers, are named after them. */
export const busUsers = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'] as const;

export type BusUser = (typeof busUsers)[number];

/** One topic of the catalogue. Names are settings; these are the defaults. */
export interface TopicSpec {
  readonly name: string;
  /** What the key is made of; records of one key keep their order. */
  readonly key: string;
  /** Name of the value's schema. */
  readonly value: string;
  readonly partitions: number;
  /** `untilDone`, or how long records are kept. */
  readonly retentionMs: number;
  /** Largest record, in bytes. */
  readonly maxRecordBytes: number;
  /** Who writes to it. */
  readonly producers: readonly BusUser[];
  /** Who reads it; processes of one service share the partitions as a group. */
  readonly consumers: readonly BusUser[];
  /** Who reads it without a group: each process hears everything. */
  readonly listeners: readonly BusUser[];
  readonly about: string;
}

/** Retention of a topic whose records are kept without limit until its group has committed them; Kafka's own value for it. */
export const untilDone = -1;

const days = (n: number): number => n * 86_400_000;
const MiB = 1_048_576;

/** Every topic that our processes exchange records on. */
export const topics = {
  sourceEvents: {
    name: 'source-events',
    key: '<integration_id>:<source>',
    value: 'SourceEvent',
    partitions: 12,
    retentionMs: days(14),
    maxRecordBytes: MiB,
    producers: ['webhook-ingester', 'action-runner'],
    consumers: ['observation-forwarder'],
    listeners: [],
    about: 'One event of one source, mapped to an observation and a message, either may be null',
  },
  emergencies: {
    name: 'emergencies',
    key: '<integration_id>:<source>',
    value: 'SourceEvent',
    partitions: 3,
    retentionMs: untilDone,
    maxRecordBytes: MiB,
    producers: ['webhook-ingester'],
    consumers: ['observation-forwarder'],
    listeners: [],
    about: 'SOS events, which overtake all others',
  },
  sourceEventsParked: {
    name: 'source-events-parked',
    key: '<integration_id>',
    value: 'SourceEvent',
    partitions: 6,
    retentionMs: untilDone,
    maxRecordBytes: MiB,
    producers: ['observation-forwarder'],
    consumers: ['observation-forwarder'],
    listeners: [],
    about: 'Events of an integration that fails while others succeed',
  },
  outboundMessages: {
    name: 'outbound-messages',
    key: '<destination_id>:<recipient>',
    value: 'OutboundMessage',
    partitions: 12,
    retentionMs: days(14),
    maxRecordBytes: MiB,
    producers: [],
    consumers: ['message-pusher'],
    listeners: [],
    about: 'Transformed messages with their attributes, on the way to devices',
  },
  integrationEvents: {
    name: 'integration-events',
    key: '<integration_id>',
    value: 'ActivityEvent',
    partitions: 12,
    retentionMs: days(7),
    maxRecordBytes: MiB,
    producers: busUsers,
    consumers: [],
    listeners: [],
    about: 'The activity log',
  },
  configEvents: {
    name: 'config-events',
    key: '<integration_id>',
    value: 'ConfigEvent',
    partitions: 12,
    retentionMs: days(2),
    maxRecordBytes: MiB,
    producers: ['message-pusher', 'action-runner'],
    consumers: [],
    listeners: busUsers,
    about: 'Changes of integrations and their configurations',
  },
  deadLetters: {
    name: 'dead-letters',
    key: 'the origin record’s key',
    value: 'DeadLetter',
    partitions: 3,
    retentionMs: days(30),
    maxRecordBytes: 4 * MiB,
    producers: busUsers,
    consumers: [],
    listeners: ['observation-forwarder'],
    about: 'What could not be handled: the original bytes, where from, why, how often tried',
  },
} as const satisfies Record<string, TopicSpec>;

/** Topic of an event: SOS events have their own, where nothing is in front of them. */
export const topicOfEvent = ({ sos }: { readonly sos?: unknown }): string =>
  sos ? topics.emergencies.name : topics.sourceEvents.name;

/** Behind the slug of an integration type: the name of the topic of its commands. */
export const commandsSuffix = '-actions-topic';

/** Topic that commands of one integration type travel on. `users` are the services that serve the type. */
export const commandsTopic = (
  slug: string,
  users: readonly BusUser[] = ['message-pusher', 'action-runner'],
): TopicSpec => ({
  name: `${slug}${commandsSuffix}`,
  key: '<integration_id>:<action_id>',
  value: 'RunActionCommand',
  partitions: 12,
  retentionMs: days(2),
  maxRecordBytes: MiB,
  producers: users,
  consumers: users,
  listeners: [],
  about: 'Commands to run actions',
});

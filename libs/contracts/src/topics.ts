/** The members of a topic that its Kafka settings depend on. */
export type KafkaTopicSpec = Pick<TopicSpec, 'retentionMs' | 'maxRecordBytes'>;

/** A record is stored in a batch with its key, headers and lengths. */
const batchRoom = 65_536;

/**
 * Replicas that must store a record before it is acknowledged: with three or more, a record survives the loss of any broker; with fewer,
 * requiring a second replica would stop all writing while a broker is unavailable.
 */
export const minInsyncFor = (replicas: number): number => (replicas >= 3 ? 2 : 1);

/** Settings of a topic, by their Kafka names. */
export const kafkaTopicSettings = ({
  retentionMs,
  maxRecordBytes,
}: KafkaTopicSpec): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  // Other producers may write compressed records; records stored uncompressed are readable for every consumer.
  'compression.type': 'uncompressed',
  'retention.ms': String(retentionMs),
  'max.message.bytes': String(maxRecordBytes + batchRoom),
  // By the clock of the writer, a broker would refuse every record of a machine whose clock is an hour ahead of its own.
  'message.timestamp.type': 'LogAppendTime',
});

/** Our services on the bus. Consumer groups and Kafka users have their names. */
export const busUsers = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'] as const;

export type BusUser = (typeof busUsers)[number];

/** A topic of the catalogue. Names are settings; these are the defaults. */
export interface TopicSpec {
  readonly name: string;
  /** Form of the key; records of one key keep their order. */
  readonly key: string;
  /** Name of the value's schema. */
  readonly value: string;
  readonly partitions: number;
  /** Retention, ms; `untilDone` for no limit. */
  readonly retentionMs: number;
  /** Maximum size of a record, bytes. */
  readonly maxRecordBytes: number;
  /** The services that write to it. */
  readonly producers: readonly BusUser[];
  /** The services that consume it; the processes of a service share the partitions as a group. */
  readonly consumers: readonly BusUser[];
  /** The services that read it without a group, so that each process receives every record. */
  readonly listeners: readonly BusUser[];
  readonly description: string;
}

/** Retention without a limit: records stay until the group has committed them. The value is Kafka's own. */
export const untilDone = -1;

const days = (n: number): number => n * 86_400_000;
const MiB = 1_048_576;

/** Every topic on which our processes exchange records. */
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
    description: 'One event of one source, mapped to an observation, a message or both',
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
    description: 'SOS events, which overtake all others',
  },
  sosLog: {
    name: 'sos-log',
    key: '<integration_id>:<source>',
    value: 'SosStep',
    partitions: 3,
    retentionMs: days(30),
    maxRecordBytes: MiB,
    producers: ['webhook-ingester', 'observation-forwarder'],
    consumers: [],
    listeners: [],
    description: 'What became of each SOS event: stored, accepted, replayed, dropped',
  },
  sourceEventsParked: {
    name: 'source-events-parked',
    key: '<integration_id>:<source>',
    value: 'SourceEvent',
    partitions: 12,
    retentionMs: untilDone,
    maxRecordBytes: MiB,
    producers: ['observation-forwarder'],
    consumers: ['observation-forwarder'],
    listeners: [],
    description: 'Events of an integration that fails while others succeed',
  },
  siteEvents: {
    name: 'site-events',
    key: '<integration_id>:<event id>',
    value: 'SiteEventRecord',
    partitions: 12,
    retentionMs: untilDone,
    maxRecordBytes: 4 * MiB,
    producers: ['action-runner'],
    consumers: ['action-runner'],
    listeners: [],
    description: 'Events of a site and their later versions, as the site has them',
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
    description: 'Transformed messages with their attributes, for devices',
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
    description: 'The activity log',
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
    description: 'Changes of integrations and their configurations',
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
    description: 'Failed work: the original bytes with origin, reason and number of attempts',
  },
} as const satisfies Record<string, TopicSpec>;

/** Topic of an event: SOS events have a topic of their own, so that no other event delays them. */
export const topicOfEvent = ({ sos }: { readonly sos?: unknown }): string =>
  sos ? topics.emergencies.name : topics.sourceEvents.name;

/** Suffix of the topic of commands, after the slug of the integration type. */
const commandsSuffix = '-actions-topic';

/** Topic of the commands of one integration type. @param users the services that run its actions */
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
  description: 'Commands to run actions',
});

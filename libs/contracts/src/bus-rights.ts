import { busUsers, topics as catalogue, untilDone, type BusUser, type TopicSpec } from './topics.ts';

/** A permission on the brokers. */
export interface BusRight {
  readonly kind: 'topic' | 'group';
  readonly name: string;
  /** Kafka grants `Describe` with `Read`, `Write` and `Delete`. */
  readonly operations: readonly ('Read' | 'Write' | 'Describe' | 'Delete' | 'DescribeConfigs')[];
}

type BusOperation = BusRight['operations'][number];

/** The topics of an installation, and the prefix of its topics and groups. */
export interface BusNames {
  readonly topics: readonly TopicSpec[];
  readonly prefix: string;
}

const operationsOf = (user: BusUser, topic: TopicSpec): BusOperation[] => {
  const { producers, consumers, listeners } = topic;
  const reads = consumers.includes(user) || listeners.includes(user);
  return [
    ...(reads ? ['Read' as const] : []),
    // The producer compares the size of record that the topic takes.
    ...(producers.includes(user) ? (['Write', 'DescribeConfigs'] as const) : []),
    // The consumer deletes the records that it has committed.
    ...(topic.retentionMs === untilDone && consumers.includes(user) ? ['Delete' as const] : []),
  ];
};

/** The minimum permissions of a service on the brokers. */
export const busRightsOf = (user: BusUser, { topics, prefix }: BusNames): readonly BusRight[] => {
  const isMember = topics.some(({ consumers }) => consumers.includes(user));
  const group: BusRight = { kind: 'group', name: `${prefix}${user}`, operations: ['Read'] };
  return [
    ...topics
      .map((topic): BusRight => ({
        kind: 'topic',
        name: `${prefix}${topic.name}`,
        operations: operationsOf(user, topic),
      }))
      .filter(({ operations }) => operations.length > 0),
    ...(isMember ? [group] : []),
  ];
};

/** User of the command-line tools; no other Secret is likely to have the name of its Secret. */
export const toolUser = 'ranger-relay-tools';

/**
 * The permissions of the command-line tools (`ranger-relay status`, `activity`, `dlq`, `probe`, `topics check`): they read every topic, its settings and the offsets of the
 * groups, republish events and texts, and write to the activity log and the log of SOS.
 */
export const toolRights = ({ topics, prefix }: BusNames): readonly BusRight[] => {
  const putBack = new Set<string>([
    catalogue.sourceEvents.name,
    catalogue.emergencies.name,
    catalogue.siteEvents.name,
    catalogue.outboundMessages.name,
    catalogue.sosLog.name,
  ]);
  const isWritten = ({ name, value }: TopicSpec): boolean => putBack.has(name) || value === 'ActivityEvent';
  const groups = busUsers.filter((user) => topics.some(({ consumers }) => consumers.includes(user)));
  return [
    ...topics.map((topic): BusRight => ({
      kind: 'topic',
      name: `${prefix}${topic.name}`,
      operations: [...(isWritten(topic) ? (['Read', 'Write'] as const) : (['Read'] as const)), 'DescribeConfigs'],
    })),
    ...groups.map((user): BusRight => ({ kind: 'group', name: `${prefix}${user}`, operations: ['Describe'] })),
  ];
};

import { busUsers, topics as catalogue, untilDone, type BusUser, type TopicSpec } from './topics.ts';

/** One right at the brokers. */
export interface BusRight {
  readonly kind: 'topic' | 'group';
  readonly name: string;
  /** `Describe` comes with the others. */
  readonly operations: readonly ('Read' | 'Write' | 'Describe' | 'Delete')[];
}

type BusOperation = BusRight['operations'][number];

/** The topics of an installation with what is put before the names of topics and groups. */
export interface BusNames {
  readonly topics: readonly TopicSpec[];
  readonly prefix: string;
}

/** Commands are between a service and itself. */
const isCommands = ({ value }: TopicSpec): boolean => value === 'RunActionCommand';

const operationsOf = (user: BusUser, topic: TopicSpec): BusOperation[] => {
  const { producers, consumers, listeners } = topic;
  const reads = consumers.includes(user) || listeners.includes(user);
  const used: BusOperation[] = [
    ...(reads ? ['Read' as const] : []),
    ...(producers.includes(user) ? ['Write' as const] : []),
    // What is done is deleted by who has done it.
    ...(topic.retentionMs === untilDone && consumers.includes(user) ? ['Delete' as const] : []),
  ];
  // Every process sees to it that the topics of an installation are there before it is ready.
  return used.length > 0 || isCommands(topic) ? used : ['Describe'];
};

/** The least that a service must be allowed to do at the brokers. */
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

/** User of people’s tools; no other Secret is likely to be called like its one. */
export const toolUser = 'ranger-relay-tools';

/**
 * What people’s tools (`ranger-relay status`, `activity`, `dlq`, `probe`) need: they read every topic and the places of the groups, put
 * events and texts back, and leave their entries in the activity log.
 */
export const toolRights = ({ topics, prefix }: BusNames): readonly BusRight[] => {
  const putBack = new Set<string>([
    catalogue.sourceEvents.name,
    catalogue.emergencies.name,
    catalogue.outboundMessages.name,
  ]);
  const isWritten = ({ name, value }: TopicSpec): boolean => putBack.has(name) || value === 'ActivityEvent';
  const groups = busUsers.filter((user) => topics.some(({ consumers }) => consumers.includes(user)));
  return [
    ...topics.map((topic): BusRight => ({
      kind: 'topic',
      name: `${prefix}${topic.name}`,
      operations: isWritten(topic) ? ['Read', 'Write'] : ['Read'],
    })),
    ...groups.map((user): BusRight => ({ kind: 'group', name: `${prefix}${user}`, operations: ['Describe'] })),
  ];
};

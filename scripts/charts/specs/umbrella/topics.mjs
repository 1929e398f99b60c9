import {
  busRightsOf,
  busUsers,
  commandsSuffix,
  commandsTopic,
  kafkaTopicSettings,
  toolRights,
  toolUser as tool,
  topics,
} from '@ranger-relay/contracts';

/** @typedef {import('@ranger-relay/contracts').TopicSpec} TopicSpec */

const catalogue = Object.values(topics);
const names = { topics: catalogue, prefix: '' };

/** @param {TopicSpec} topic */
const rightsOn = ({ name }) => {
  const all = [
    ...busUsers.map((user) => ({ user, rights: busRightsOf(user, names) })),
    { user: tool, rights: toolRights(names) },
  ];
  return Object.fromEntries(
    all.flatMap(({ user, rights }) => {
      const right = rights.find((each) => each.kind === 'topic' && each.name === name);
      return right ? [[user, right.operations]] : [];
    }),
  );
};

/** @param {TopicSpec} topic */
const plain = (topic) => ({
  name: topic.name,
  variable: topic === topics.integrationEvents ? 'INTEGRATION_EVENTS_TOPIC' : '',
  partitions: topic.partitions,
  settings: kafkaTopicSettings(topic),
  rights: rightsOn(topic),
});

const commands = commandsTopic('', []);

/** The catalogue as the templates of the umbrella read it. */
export const topicsFile = {
  topics: catalogue.map(plain),
  commands: {
    suffix: commandsSuffix,
    partitions: commands.partitions,
    settings: kafkaTopicSettings(commands),
    users: ['message-pusher', 'action-runner'],
    operations: ['Read', 'Write'],
    tool: { user: tool, operations: ['Read'] },
  },
  users: [...busUsers, tool].map((user) => ({
    user,
    groups:
      user === tool
        ? ['observation-forwarder', 'message-pusher', 'action-runner']
        : user === 'webhook-ingester'
          ? []
          : [user],
    operations: user === tool ? ['Describe'] : ['Read'],
  })),
};

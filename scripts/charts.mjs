// Writes what the charts take from the code, and the operator's definitions: npm run charts
import { fileURLToPath } from 'node:url';
import {
  busRightsOf,
  busUsers,
  commandsTopic,
  kafkaTopicSettings,
  toolRights,
  toolUser as tool,
  topics,
} from '@ranger-relay/contracts';
import { crds } from '@ranger-relay/operator';
import { stringify } from 'yaml';
import { generatedFile, writeGenerated } from './generated.mjs';

/** @typedef {import('@ranger-relay/contracts').TopicSpec} TopicSpec */

const catalogue = Object.values(topics);

/** @param {TopicSpec} topic */
const rightsOn = (topic) => {
  const names = { topics: [topic], prefix: '' };
  const all = [
    ...busUsers.map((user) => ({ user, rights: busRightsOf(user, names) })),
    { user: tool, rights: toolRights(names) },
  ];
  return Object.fromEntries(
    all.flatMap(({ user, rights }) => {
      const right = rights.find((each) => each.kind === 'topic');
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

const commands = commandsTopic('', ['action-runner']);

/** The catalogue as the templates for Strimzi read it. */
const topicsFile = {
  topics: catalogue.map(plain),
  commands: {
    partitions: commands.partitions,
    settings: kafkaTopicSettings(commands),
    operations: rightsOn(commands)['action-runner'],
    tool: { user: tool, operations: rightsOn(commands)[tool] },
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

const head = '# Written by npm run charts; change services/operator/src/api instead.\n';

/** @param {unknown} value */
const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

/** Texts of the generated files, by their paths. */
const texts = {
  'charts/ranger-relay/files/topics.json': json(topicsFile),
  ...Object.fromEntries(
    Object.entries(crds()).map(([name, crd]) => [
      `services/operator/crds/${name}`,
      head + stringify(crd, { lineWidth: 0, singleQuote: true }),
    ]),
  ),
};

/** Every generated file as it is and as it should be. @param {string} root of the tree */
export const chartFiles = (root) =>
  Promise.all(Object.entries(texts).map(([file, text]) => generatedFile(root, file, text)));

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  writeGenerated(root, await chartFiles(root));
}

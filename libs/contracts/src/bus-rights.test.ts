import test from 'ava';
import { busRightsOf, busUsers, commandsTopic, toolRights, topics, type BusRight, type BusUser } from './index.ts';

const names = {
  topics: [
    ...Object.values(topics),
    commandsTopic('devices', ['message-pusher']),
    commandsTopic('sites', ['action-runner']),
  ],
  prefix: 'park.',
};

const may = (rights: readonly BusRight[], kind: BusRight['kind'], name: string): readonly string[] =>
  rights.find((right) => right.kind === kind && right.name === `park.${name}`)?.operations ?? [];

/** Written by hand: what each service does, as the data flow in ARCHITECTURE.md draws it. */
const table: Readonly<Record<BusUser, Readonly<Record<string, string>>>> = {
  'webhook-ingester': {
    'source-events': 'W',
    emergencies: 'W',
    'sos-log': 'W',
    'integration-events': 'W',
    'config-events': 'R',
    'dead-letters': 'W',
  },
  'observation-forwarder': {
    'source-events': 'R',
    emergencies: 'RD',
    'sos-log': 'W',
    'source-events-parked': 'RWD',
    'integration-events': 'W',
    'config-events': 'R',
    'dead-letters': 'RW',
  },
  'message-pusher': {
    'outbound-messages': 'R',
    'integration-events': 'W',
    'config-events': 'RW',
    'dead-letters': 'W',
    'devices-actions-topic': 'RW',
  },
  'action-runner': {
    'source-events': 'W',
    'site-events': 'RWD',
    'integration-events': 'W',
    'config-events': 'RW',
    'dead-letters': 'W',
    'sites-actions-topic': 'RW',
  },
};

const letters = (operations: readonly string[]): string =>
  `${operations.includes('Read') ? 'R' : ''}${operations.includes('Write') ? 'W' : ''}${operations.includes('Delete') ? 'D' : ''}`;

/** Who writes to a topic may look whether it takes what is written. */
const looks = (rights: readonly BusRight[]): string[] =>
  rights.filter(({ operations }) => operations.includes('DescribeConfigs')).map(({ name }) => name);

for (const user of busUsers)
  test(`${user} may do what it does, and nothing else`, (t) => {
    const rights = busRightsOf(user, names);
    for (const { name } of names.topics) t.is(letters(may(rights, 'topic', name)), table[user][name] ?? '', name);
    const written = names.topics.filter(({ name }) => table[user][name]?.includes('W'));
    t.deepEqual(
      looks(rights),
      written.map(({ name }) => `park.${name}`),
    );
  });

test('only services that share partitions have a group, and it is their own', (t) => {
  const groups = busUsers.map((user) =>
    busRightsOf(user, names)
      .filter(({ kind }) => kind === 'group')
      .map(({ name }) => name),
  );
  t.deepEqual(groups, [[], ['park.observation-forwarder'], ['park.message-pusher'], ['park.action-runner']]);
});

test('the tools read everything, and write only what they put back and tell', (t) => {
  const rights = toolRights(names);
  for (const { name } of names.topics) t.true(may(rights, 'topic', name).includes('Read'), name);
  t.deepEqual(
    rights.filter(({ operations }) => operations.includes('Write')).map(({ name }) => name),
    [
      'park.source-events',
      'park.emergencies',
      'park.sos-log',
      'park.site-events',
      'park.outbound-messages',
      'park.integration-events',
    ],
  );
  t.is(looks(rights).length, names.topics.length);
  t.deepEqual(may(rights, 'group', 'observation-forwarder'), ['Describe']);
});

test('whoever reads or writes a topic is a service of ours', (t) => {
  for (const { name, producers, consumers, listeners } of names.topics)
    for (const user of [...producers, ...consumers, ...listeners]) t.true(busUsers.includes(user), name);
});

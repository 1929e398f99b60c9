import type { TopicChange, TopicAdmin, TopicState } from '@ranger-relay/bus/kafka';
import { type BusNames, untilDone } from '@ranger-relay/contracts';
import { envHelp } from '@ranger-relay/runtime';
import { alignColumns, durationOption, plural, printable, type Shell, wholeOption } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { outputOption, print } from '../program/output.ts';
import { withOpen } from '../program/stores.ts';
import { namesHere, topicsEnv } from './env.ts';
import { topicAdminOf, type OpenTopicAdmin, patiently, rightsOfAll, type UserRights } from './topic-admin.ts';
import { strimziManifests, type StrimziOptions } from './manifests/strimzi.ts';

/** Writes YAML 1.1, as kubectl reads it: words such as `no` are quoted. */
const yamlOf = async (value: object): Promise<string> => {
  const { stringify } = await import('yaml');
  return stringify(value, { version: '1.1', lineWidth: 0 }).trimEnd();
};

const dayMs = 86_400_000;

const plainOf = ({ topics, prefix }: BusNames) =>
  topics.map(({ name, key, value, partitions, retentionMs, maxRecordBytes, producers, consumers, listeners }) => ({
    name: prefix + name,
    partitions,
    retention_ms: retentionMs,
    max_record_bytes: maxRecordBytes,
    key,
    value,
    producers: [...producers],
    consumers: [...consumers],
    listeners: [...listeners],
  }));

const topicTable = ({ topics, prefix }: BusNames): string[] =>
  alignColumns(
    [
      ['TOPIC', 'PARTITIONS', 'DAYS', 'WRITTEN BY', 'READ BY'],
      ...topics.map(({ name, partitions, retentionMs, producers, consumers, listeners }) => [
        prefix + name,
        String(partitions),
        retentionMs === untilDone ? 'until done' : String(retentionMs / dayMs),
        producers.join(', ') || 'others',
        [...consumers, ...listeners].join(', ') || 'others',
      ]),
    ],
    ['left', 'right', 'right', 'left', 'left'],
  );

/** `topics list`: what the installation needs, without asking a broker. */
export const listCommand = (shell: Shell): Command =>
  new Command('list')
    .description('Print the topics that the installation needs, without contacting the brokers')
    .addOption(outputOption('table', 'yaml'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics list --output yaml')
    .action(async ({ output }: { readonly output: string }) => {
      const names = namesHere(shell);
      if (output === 'yaml') return shell.out(await yamlOf(plainOf(names)));
      print(shell, output, plainOf(names), () => topicTable(names));
    });

/** `--replication <n>`: of topics that are made. */
export const replicationOption = (): Option =>
  new Option('--replication <n>', 'copies of each record of a new topic (default: that of the brokers)').argParser(
    wholeOption(1, 15),
  );

/** Warns of topics that keep acknowledged records on one disk. */
export const warnOfSingleCopies = (shell: Shell, states: readonly TopicState[]): void => {
  const single = states.filter(({ replicas }) => replicas === 1);
  if (single.length === 0) return;
  const text = `WARNING: ${plural(single.length, 'topic')} with one copy of each record: the loss of one disk loses acknowledged events. With three brokers use --replication 3.`;
  shell.err(shell.paint.yellow(printable(text)));
};

/** `topics create`: creates missing topics. */
export const createCommand = (shell: Shell, open: OpenTopicAdmin): Command =>
  new Command('create')
    .description('Create missing topics; existing topics stay unchanged')
    .addOption(replicationOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics create --replication 3')
    .action(({ replication }: { readonly replication?: number }) =>
      withOpen(open, async (admin) => {
        const made = await admin.create(replication);
        for (const name of made) shell.out(`created ${name}`);
        if (made.length === 0) shell.out('every topic exists');
        warnOfSingleCopies(shell, await admin.check());
      }),
    );

const cell = (count: number | null): string => (count === null ? '-' : String(count));

const rowOf = ({ name, partitions, replicas, minInsync, problems, notes }: TopicState): string[] => [
  name,
  cell(partitions),
  cell(replicas),
  cell(minInsync),
  problems.length > 0 ? problems.join('; ') : ['ok', ...notes].join('; '),
];

/** States of topics as a table. */
export const stateLines = (states: readonly TopicState[]): string[] =>
  alignColumns(
    [['TOPIC', 'PARTITIONS', 'COPIES', 'IN SYNC', 'STATE'], ...states.map(rowOf)],
    ['left', 'right', 'right', 'right', 'left'],
  ).map(printable);

/** `--wait <span>`: for a start beside brokers that may not be there yet. */
export const waitOption = (): Option =>
  new Option('--wait <span>', 'how long to wait for the brokers').argParser(durationOption);

interface CheckOptions {
  readonly output: string;
  readonly wait?: number;
}

/** `topics check`: compares and changes nothing. */
export const checkCommand = (shell: Shell, open: OpenTopicAdmin): Command =>
  new Command('check')
    .description('Compare the topics on the brokers with what ranger-relay needs')
    .addOption(outputOption('table'))
    .addOption(waitOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics check')
    .action(({ output, wait = 0 }: CheckOptions) =>
      withOpen(open, async (admin) => {
        const states = await patiently(shell, wait, () => admin.check());
        print(shell, output, states, () => stateLines(states));
        if (states.some(({ problems }) => problems.length > 0)) shell.fail();
      }),
    );

interface ApplyOptions {
  readonly output: string;
  readonly wait: number;
  readonly replication?: number;
  readonly raisePartitions?: true;
}

interface Applied {
  readonly created: readonly string[];
  readonly raised: readonly TopicChange[];
  readonly topics: readonly TopicState[];
}

const defaultWaitMs = 10_000;

/** What a look still has to end, though it was just ended: the broker that was asked has not heard of it yet. */
const isBehind = ({ isFixable, isNarrow }: TopicState, { raisePartitions }: ApplyOptions): boolean =>
  isFixable || (isNarrow && raisePartitions === true);

const missingOf = (states: readonly TopicState[]): readonly string[] =>
  states.filter(({ partitions }) => partitions === null).map(({ name }) => name);

/**
 * Brokers show a change a moment after they have made it, one after the other: it is done once two looks find nothing more to do. A topic was
 * created when the first look did not find it: the answer to its creation, or what follows, may fail and be tried again.
 */
const applied = async (shell: Shell, admin: TopicAdmin, options: ApplyOptions): Promise<Applied> => {
  const created = new Set<string>();
  let isLookedAt = false;
  const raised = new Map<string, Set<string>>();
  const topics = await patiently(shell, options.wait, async () => {
    if (!isLookedAt) for (const name of missingOf(await admin.check())) created.add(name);
    isLookedAt = true;
    const made = await admin.create(options.replication);
    for (const name of made) created.add(name);
    const changes = await admin.update({ partitions: options.raisePartitions ?? false });
    for (const { name, did } of changes) raised.set(name, new Set([...(raised.get(name) ?? []), ...did]));
    if (made.length + changes.length > 0) return null;
    const states = await admin.check();
    return states.some((state) => isBehind(state, options)) ? null : states;
  });
  return {
    created: [...created],
    raised: [...raised].map(([name, did]) => ({ name, did: [...did] })),
    topics,
  };
};

/** Too few partitions lose nothing, so they must not block an installation. */
const isLeft = ({ problems, isNarrow }: TopicState): boolean => problems.length > (isNarrow ? 1 : 0);

const linesOf = ({ created, raised, topics }: Applied): string[] => [
  ...created.map((name) => `created ${name}`),
  ...raised.flatMap(({ name, did }) => did.map((what) => `${name}: ${what}`)),
  ...topics.flatMap(({ name, problems }) => problems.map((problem) => `${name} ${problem}`)),
  ...topics.flatMap(({ name, notes }) => notes.map((note) => `note: ${name} ${note}`)),
  created.length + raised.length === 0
    ? `${plural(topics.length, 'topic')} checked, nothing to do`
    : `${plural(created.length, 'topic')} created, ${plural(raised.length, 'topic')} raised`,
];

/** `topics apply`: creates missing topics and raises settings that are too low; safe to repeat. */
export const applyCommand = (shell: Shell, open: OpenTopicAdmin): Command =>
  new Command('apply')
    .description('Create missing topics and raise settings that are too low; nothing is lowered or deleted')
    .addOption(replicationOption())
    .option(
      '--raise-partitions',
      'also add partitions, to topics without waiting records, which later records of the same source would overtake',
    )
    .addOption(waitOption().default(defaultWaitMs, '10s'))
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics apply --wait 2m --replication 3')
    .action((options: ApplyOptions) =>
      withOpen(open, async (admin) => {
        const result = await applied(shell, admin, options);
        print(shell, options.output, result, () => linesOf(result).map(printable));
        warnOfSingleCopies(shell, result.topics);
        if (result.topics.some(isLeft)) shell.fail();
      }),
    );

const rightsTable = (all: readonly UserRights[]): string[] =>
  alignColumns(
    [
      ['USER', 'KIND', 'NAME', 'MAY'],
      ...all.flatMap(({ user, rights }) =>
        rights.map(({ kind, name, operations }) => [user, kind, name, operations.join(', ')]),
      ),
    ],
    ['left', 'left', 'left', 'left'],
  );

const callsOf = (all: readonly UserRights[]): string[] =>
  all.flatMap(({ user, rights }) =>
    rights.map(
      ({ kind, name, operations }) =>
        `kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --add --allow-principal User:${user} ` +
        `${operations.map((operation) => `--operation ${operation}`).join(' ')} --${kind} '${name}'`,
    ),
  );

/** `topics acl`: what each service must be allowed to do at the brokers. */
export const aclCommand = (shell: Shell): Command =>
  new Command('acl')
    .description('Print the ACLs that each service needs at the brokers')
    .addOption(outputOption('table', 'commands'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics acl --output commands')
    .action(({ output }: { readonly output: string }) => {
      const all = rightsOfAll(namesHere(shell));
      print(shell, output, all, () => (output === 'commands' ? callsOf(all) : rightsTable(all)));
    });

interface ManifestOptions extends Omit<StrimziOptions, 'authentication'> {
  readonly users: 'scram-sha-512' | 'tls' | 'none';
}

/** `topics strimzi`: topics and users for those whose Kafka is run by the Strimzi operator. */
export const strimziCommand = (shell: Shell): Command =>
  new Command('strimzi')
    .description('Print topics and users as manifests for the Strimzi operator')
    .requiredOption('--cluster <name>', 'name of the Kafka cluster')
    .option('--namespace <name>', 'namespace of the manifests (default: that of kubectl)')
    .addOption(new Option('--replicas <n>', 'copies of each record').argParser(wholeOption(1, 15)).default(3))
    .addOption(
      new Option('--users <form>', 'how the users log in')
        .choices(['scram-sha-512', 'tls', 'none'])
        .default('scram-sha-512'),
    )
    .addOption(new Option('--api <version>', 'API version of the operator').choices(['v1', 'v1beta2']).default('v1'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics strimzi --cluster kafka | kubectl apply -f -')
    .action(async ({ users, ...options }: ManifestOptions) => {
      const authentication = users === 'none' ? null : users;
      for (const manifest of strimziManifests(namesHere(shell), { ...options, authentication }))
        shell.out(`---\n${await yamlOf(manifest)}`);
    });

/** `topics`: manages the topics of an installation on Kafka. */
export const topicsCommand = (shell: Shell, open: OpenTopicAdmin = () => topicAdminOf(shell)): Command =>
  new Command('topics')
    .addCommand(listCommand(shell))
    .addCommand(checkCommand(shell, open))
    .addCommand(createCommand(shell, open))
    .addCommand(applyCommand(shell, open))
    .addCommand(aclCommand(shell))
    .addCommand(strimziCommand(shell))
    .addHelpText('after', `\nEnvironment:\n${envHelp(topicsEnv)}\n\nExample:\n  $ ranger-relay topics apply`);

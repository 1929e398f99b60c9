import { actionsEnv } from '@ranger-relay/actions';
import { kafkaSettings, openTopicKeeper, type TopicKeeper, type TopicState } from '@ranger-relay/bus';
import { commonEnv, createLogger, envHelp, kafkaEnv, parseEnv } from '@ranger-relay/runtime';
import { topicsOf } from '@ranger-relay/service';
import { Command, Option } from 'commander';
import { alignColumns, printableJson, type Shell, wholeOption } from '@ranger-relay/terminal';
import { upEnv } from '../up/config.ts';
import { commandTopics } from './command-topics.ts';

const topicsEnv = {
  ...kafkaEnv,
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
  PUSHER_TYPE_SLUG: upEnv.PUSHER_TYPE_SLUG,
  RUNNER_TYPE_SLUG: upEnv.RUNNER_TYPE_SLUG,
  INTEGRATION_COMMANDS_TOPIC: actionsEnv.INTEGRATION_COMMANDS_TOPIC,
} as const;

/** Opens the keeper of the installation's topics. @throws RelayError `config_invalid` */
export type OpenKeeper = () => TopicKeeper;

/** The keeper that the environment describes. */
export const keeperOf = (shell: Shell): TopicKeeper => {
  const env = parseEnv(topicsEnv, shell.env);
  const log = createLogger({ service: 'ranger-relay', level: 'silent', write: (line) => shell.err(line.trimEnd()) });
  return openTopicKeeper(kafkaSettings(env, 'ranger-relay'), topicsOf(env, commandTopics(env)), log);
};

const withKeeper = async (open: OpenKeeper, work: (keeper: TopicKeeper) => Promise<void>): Promise<void> => {
  const keeper = open();
  try {
    await work(keeper);
  } finally {
    await keeper.close();
  }
};

const lineOf = ({ name, partitions, problems }: TopicState): string[] => [
  name,
  partitions === null ? '-' : String(partitions),
  problems.length === 0 ? 'ok' : problems.join('; '),
];

const checkCommand = (shell: Shell, open: OpenKeeper): Command =>
  new Command('check')
    .description('Compare the topics on the brokers with what ranger-relay needs')
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics check')
    .action(({ output }: { readonly output: string }) =>
      withKeeper(open, async (keeper) => {
        const states = await keeper.check();
        if (output === 'json') shell.out(printableJson(states));
        else
          for (const line of alignColumns(
            [['TOPIC', 'PARTITIONS', 'STATE'], ...states.map(lineOf)],
            ['left', 'right', 'left'],
          ))
            shell.out(line);
        if (states.some(({ problems }) => problems.length > 0)) shell.fail();
      }),
    );

const createCommand = (shell: Shell, open: OpenKeeper): Command =>
  new Command('create')
    .description('Create the topics that are missing; what exists is left as it is')
    .option('--replication <n>', 'copies of each record; the brokers decide when left out', wholeOption(1, 15))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics create --replication 3')
    .action(({ replication }: { readonly replication?: number }) =>
      withKeeper(open, async (keeper) => {
        const made = await keeper.create(replication);
        for (const name of made) shell.out(`created ${name}`);
        if (made.length === 0) shell.out('every topic exists');
      }),
    );

/** `topics`: looks after the topics of an installation on Kafka. */
export const topicsCommand = (shell: Shell, open: OpenKeeper = () => keeperOf(shell)): Command =>
  new Command('topics')
    .description('Create or check the topics of an installation on Kafka')
    .addCommand(checkCommand(shell, open))
    .addCommand(createCommand(shell, open))
    .addHelpText('after', `\nEnvironment:\n${envHelp(topicsEnv)}\n\nExample:\n  $ ranger-relay topics create`);

import { Command, Option } from 'commander';
import type { TopicState } from '@ranger-relay/bus/kafka';
import { alignColumns, durationOption, printable, printableJson, type Shell } from '@ranger-relay/terminal';
import { withKeeper, type OpenKeeper } from '../keeper.ts';
import { patiently } from '../patience.ts';

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
  new Option('--wait <span>', 'how long to wait for brokers that do not answer yet').argParser(durationOption);

interface Options {
  readonly output: string;
  readonly wait?: number;
}

/** `topics check`: compares and changes nothing. */
export const checkCommand = (shell: Shell, open: OpenKeeper): Command =>
  new Command('check')
    .description('Compare the topics on the brokers with what ranger-relay needs')
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json']).default('table'))
    .addOption(waitOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics check')
    .action(({ output, wait = 0 }: Options) =>
      withKeeper(open, async (keeper) => {
        const states = await patiently(shell, wait, () => keeper.check());
        if (output === 'json') shell.out(printableJson(states));
        else for (const line of stateLines(states)) shell.out(line);
        if (states.some(({ problems }) => problems.length > 0)) shell.fail();
      }),
    );

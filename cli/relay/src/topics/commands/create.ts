import { Command, Option } from 'commander';
import type { TopicState } from '@ranger-relay/bus/kafka';
import { plural, printable, wholeOption, type Shell } from '@ranger-relay/terminal';
import { withKeeper, type OpenKeeper } from '../keeper.ts';

/** `--replication <n>`: of topics that are made. */
export const replicationOption = (): Option =>
  new Option('--replication <n>', 'copies of each record of a new topic; the brokers decide when left out').argParser(
    wholeOption(1, 15),
  );

/** Warns of topics that keep what was acknowledged on one disk. */
export const warnOfSingleCopies = (shell: Shell, states: readonly TopicState[]): void => {
  const single = states.filter(({ replicas }) => replicas === 1);
  if (single.length === 0) return;
  const text = `WARNING: ${plural(single.length, 'topic')} with one copy of each record: what the vendor was told is stored goes with one disk. With three brokers use --replication 3.`;
  shell.err(shell.paint.yellow(printable(text)));
};

/** `topics create`: makes what is missing. */
export const createCommand = (shell: Shell, open: OpenKeeper): Command =>
  new Command('create')
    .description('Create the topics that are missing; what exists is left as it is')
    .addOption(replicationOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics create --replication 3')
    .action(({ replication }: { readonly replication?: number }) =>
      withKeeper(open, async (keeper) => {
        const made = await keeper.create(replication);
        for (const name of made) shell.out(`created ${name}`);
        if (made.length === 0) shell.out('every topic exists');
        warnOfSingleCopies(shell, await keeper.check());
      }),
    );

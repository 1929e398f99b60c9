import { Command, Option } from 'commander';
import { wholeOption, type Shell } from '@ranger-relay/terminal';
import { withKeeper, type OpenKeeper } from '../keeper.ts';

/** `--replication <n>`: of topics that are made. */
export const replicationOption = (): Option =>
  new Option('--replication <n>', 'copies of each record of a new topic; the brokers decide when left out').argParser(
    wholeOption(1, 15),
  );

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
      }),
    );

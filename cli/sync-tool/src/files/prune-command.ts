import { Command, Option } from 'commander';
import { wholeOption, type Shell } from '@ranger-relay/terminal';
import { act, type Result } from '../program/action.ts';
import { outputFlag, type Output } from '../program/flags.ts';
import { prune } from './prune.ts';

interface Flags {
  readonly keep: number;
  readonly spare?: readonly string[];
  readonly output: Output;
}

const run = async (folder: string, { keep, spare = [] }: Flags): Promise<Result> => {
  const { deleted, left } = await prune(folder, { keep, spare: new Set(spare.map(Number)) });
  const lines = [
    ...deleted.map((number) => `deleted: ${number}`),
    `${deleted.length} deleted, ${left} left as they are`,
  ];
  return { code: 0, lines, json: { folder, deleted, left } };
};

/** `files prune`: deletes what older runs have left. */
export const pruneCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('prune')
      .description('Delete what older runs have left in numbered folders; what was not finished stays.')
      .argument('<dir>', 'folder that holds the numbered folders')
      .addOption(
        new Option('--keep <n>', 'how many runs stay, and how many plans that were not carried out')
          .argParser(wholeOption(1, 1_000))
          .makeOptionMandatory(),
      )
      .option('--spare <folder...>', 'numbers of folders that stay in any case'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool files prune north-1f2e3d4c --keep 10')
    .action((folder: string, flags: Flags, command: Command) =>
      act({ shell, command, output: flags.output }, () => run(folder, flags)),
    );

import { Command } from 'commander';
import { printableJson } from '@ranger-relay/terminal';
import { withStores } from '../../program/stores.ts';
import { headJson, letterTable } from '../format.ts';
import { liveLetters, type LetterFilter } from '../select.ts';
import { lettersFrom, outputOption, withFilter, type DlqDependencies } from './parts.ts';

/** `dlq list`: the live dead letters, oldest first. */
export const listCommand = ({ shell, openStores }: DlqDependencies): Command =>
  withFilter(new Command('list').description('Print the dead letters that wait, oldest first'))
    .addOption(outputOption('table'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq list --reason item_refused')
    .action(({ output, ...filter }: LetterFilter & { output: string }) =>
      withStores(openStores, async (stores) => {
        const { heads, unreadable } = await liveLetters(lettersFrom(stores, shell), filter);
        if (output === 'json') return shell.out(printableJson(heads.map(headJson), 2));
        for (const line of letterTable(heads, unreadable, shell.clock.now(), shell.paint)) shell.out(line);
      }),
    );

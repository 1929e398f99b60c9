import { Command } from 'commander';
import { plural, printable } from '@ranger-relay/terminal';
import { withStores } from '../../program/stores.ts';
import { markLetter } from '../marks.ts';
import { chooseLetters } from '../select.ts';
import { choiceOf, lettersFrom, reportUnknown, withChoice, type ChoiceOptions, type DlqDependencies } from './parts.ts';

/** `dlq drop`: letters that nobody wants sent. They stay readable by `show` while the topic keeps them. */
export const dropCommand = ({ shell, openStores }: DlqDependencies): Command =>
  withChoice(new Command('drop').description('Give dead letters up for good'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ ranger-relay dlq drop 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11\n  $ ranger-relay dlq drop --all --reason invalid_json',
    )
    .action((ids: string[], options: ChoiceOptions) =>
      withStores(openStores, async (stores) => {
        const { heads, unknown } = await chooseLetters(lettersFrom(stores, shell), choiceOf(ids, options));
        for (const head of heads) {
          await markLetter(stores.kv.state, shell.clock, head.id, 'dropped');
          shell.out(`dropped   ${printable(`${head.id}  ${head.kind}  ${head.reason}`)}`);
        }
        reportUnknown(shell, unknown);
        shell.out(`${plural(heads.length, 'dead letter')} dropped.`);
      }),
    );

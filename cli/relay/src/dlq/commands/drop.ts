import { RelayError } from '@ranger-relay/errors';
import { plural, printable, type Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { withStores } from '../../program/stores.ts';
import type { LetterHead } from '../letters.ts';
import { markLetter } from '@ranger-relay/service';
import { chooseLetters } from '../select.ts';
import { choiceOf, lettersFrom, reportUnknown, withChoice, type ChoiceOptions, type DlqDependencies } from './parts.ts';

interface Options extends ChoiceOptions {
  readonly yes?: true;
  readonly dryRun?: true;
}

const lineOf = ({ id, kind, reason, sos }: LetterHead): string =>
  printable(`${id}  ${sos ? 'SOS ' : ''}${kind}  ${reason}`);

/** Whoever names letters has looked at them; all at once need a yes. @throws RelayError `usage` where nobody can be asked */
const mayDrop = async (shell: Shell, heads: readonly LetterHead[], { all, yes }: Options): Promise<boolean> => {
  if (!all || yes || heads.length === 0) return true;
  const calls = heads.filter(({ sos }) => sos).length;
  const question = `Drop ${plural(heads.length, 'dead letter')}${calls > 0 ? `, ${calls} of an SOS,` : ''} for good?`;
  const answer = await shell.confirm(question);
  if (answer !== undefined) return answer;
  const problem = `--all drops ${plural(heads.length, 'dead letter')} for good; say --yes as well, or look first with --dry-run`;
  throw new RelayError('usage', { details: { problem } });
};

/** `dlq drop`: letters that nobody wants sent. They stay readable by `show` while the topic keeps them. */
export const dropCommand = ({ shell, openStores }: DlqDependencies): Command =>
  withChoice(new Command('drop').description('Give dead letters up for good'))
    .option('--yes', 'drop without asking')
    .option('--dry-run', 'print what would be dropped, and drop nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  $ ranger-relay dlq drop 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11\n  $ ranger-relay dlq drop --all --reason invalid_json --yes',
    )
    .action((ids: string[], options: Options) =>
      withStores(openStores, async (stores) => {
        const { heads, unknown } = await chooseLetters(lettersFrom(stores, shell), choiceOf(ids, options));
        const isDry = options.dryRun === true;
        if (!isDry && !(await mayDrop(shell, heads, options))) {
          shell.out('Nothing was dropped.');
          return;
        }
        for (const head of heads) {
          if (!isDry) await markLetter(stores.kv.state, shell.clock, head.id, 'dropped');
          shell.out(`${isDry ? 'to drop ' : 'dropped '}  ${lineOf(head)}`);
        }
        reportUnknown(shell, unknown);
        shell.out(`${plural(heads.length, 'dead letter')} ${isDry ? 'to drop; nothing was dropped' : 'dropped'}.`);
      }),
    );

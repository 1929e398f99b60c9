import { pusherEnv } from '@ranger-relay/message-pusher';
import { createMetrics, envHelp, metricList, parseEnv } from '@ranger-relay/runtime';
import { Command } from 'commander';
import { plural, printable } from '@ranger-relay/terminal';
import { withStores } from '../../program/stores.ts';
import { replayLetters, type Replayed, type Stored } from '../replay.ts';
import { chooseLetters } from '../select.ts';
import { choiceOf, lettersFrom, reportUnknown, withChoice, type ChoiceOptions, type DlqDependencies } from './parts.ts';

const nouns = {
  observations: 'observation',
  messages: 'message',
  texts: 'text',
  commands: 'command',
  changes: 'change',
};

const storedWords = (stored: Stored): string =>
  Object.entries(stored)
    .map(([what, count]) => plural(count, nouns[what as keyof Stored]))
    .join(', ');

const replayedLine = ({ head, ...result }: Replayed): string => {
  const what = printable(`${head.id}  ${head.kind}`);
  return result.ok
    ? `replayed  ${what}  ${storedWords(result.stored)} on the way`
    : `failed    ${what}  ${printable(result.error.message)}`;
};

/** What is read beside the variables of bus and store. */
const replayEnv = {
  PUSH_ID_ATTRIBUTE: pusherEnv.PUSH_ID_ATTRIBUTE,
  INTEGRATION_COMMANDS_TOPIC: pusherEnv.INTEGRATION_COMMANDS_TOPIC,
} as const;

/** `dlq replay`: sends letters again, oldest first, through the services that run now or later. */
export const replayCommand = ({ shell, openStores }: DlqDependencies): Command =>
  withChoice(new Command('replay').description('Send dead letters again, oldest first, once their cause is mended'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ ranger-relay dlq replay 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11\n  $ ranger-relay dlq replay --all --reason integration_gone',
    )
    .addHelpText('after', `\nEnvironment:\n${envHelp(replayEnv)}`)
    .action((ids: string[], options: ChoiceOptions) =>
      withStores(openStores, async (stores) => {
        const { heads, unknown } = await chooseLetters(lettersFrom(stores, shell), choiceOf(ids, options));
        let failed = 0;
        const { clock, random } = shell;
        const env = parseEnv(replayEnv, shell.env);
        const settings = { idAttribute: env.PUSH_ID_ATTRIBUTE, commandsTopicName: env.INTEGRATION_COMMANDS_TOPIC };
        const parts = { ...stores, ...settings, clock, random, metrics: createMetrics(metricList) };
        for await (const result of replayLetters(heads, parts)) {
          if (result.ok) shell.out(replayedLine(result));
          else {
            failed += 1;
            shell.err(replayedLine(result));
            shell.fail();
          }
        }
        reportUnknown(shell, unknown);
        shell.out(`${plural(heads.length - failed, 'dead letter')} replayed, ${failed + unknown.length} failed.`);
      }),
    );

import { canonicalId } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { allowRefusals } from '@ranger-relay/observation-forwarder';
import { createMetrics, envHelp, metricList, parseEnv, redact } from '@ranger-relay/runtime';
import { createSosLog, letterMark, markLetter } from '@ranger-relay/service';
import { durationOption, plural, printable, type Shell, usage, wholeOption } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { integrationArgument, integrationHelp } from '../actions/options.ts';
import { outputOption, print } from '../program/output.ts';
import { type Sender, type StoreOpeners, type Stores, withStores } from '../program/stores.ts';
import { bodyText, headJson, letterLines, letterTable } from './format.ts';
import { createLetterIndex, type LetterHead, readLetters } from './letters.ts';
import { type Sent, tellOutcomes } from './outcome.ts';
import { type Replayed, replayLetters, waitForLog, type Stored } from './replay.ts';
import { refusalOf } from '../sos/read.ts';
import {
  type Choice,
  chooseLetters,
  idOf,
  type LetterFilter,
  type LetterStores,
  type Live,
  liveLetters,
} from './select.ts';

/** Dependencies of the commands on dead letters. */
export interface DlqDependencies extends Pick<StoreOpeners, 'openStores' | 'sender'> {
  readonly shell: Shell;
}

/** Options that select dead letters. */
const withFilter = (command: Command): Command =>
  command
    .option('--integration <id>', `only of this integration: ${integrationHelp}`, integrationArgument)
    .option('--kind <kind>', 'only of this kind, like message or webhook_event')
    .option('--reason <reason>', 'only of this reason, like item_refused');

/** Ids or `--all` with a filter. */
const withChoice = (command: Command): Command =>
  withFilter(
    command
      .argument('[ids...]', 'ids of dead letters, or their beginnings')
      .option('--all', 'all waiting ones that match'),
  );

/** Parsed options of `withChoice`. */
type ChoiceOptions = LetterFilter & { readonly all?: true };

/** The choice that arguments and options make. */
const choiceOf = (ids: readonly string[], { all, ...filter }: ChoiceOptions): Choice => ({
  ids: ids.map(canonicalId),
  all: all === true,
  ...filter,
});

/** Sources of dead letters. */
const lettersFrom = ({ bus, kv }: Stores, { clock }: Shell): LetterStores => ({ bus, state: kv.state, clock });

/** Reports named letters that do not exist. */
const reportUnknown = (shell: Shell, ids: readonly string[]): void => {
  for (const id of ids) {
    shell.err(new RelayError('dead_letter_unknown', { details: { id: id.slice(0, 100) } }).message);
    shell.fail();
  }
};

/** Says of which letters the store cannot know whether they were replayed or dropped before. */
const reportDoubtful = (shell: Shell, { doubtful, storeSince }: Live, more = ''): void => {
  if (doubtful.length === 0) return;
  const age = Number.isFinite(storeSince) ? `remembers since ${new Date(storeSince).toISOString()}` : 'is empty';
  const ids = doubtful.map(({ id }) => id).join(' ');
  shell.err(
    printable(
      `The store ${age}, and ${plural(doubtful.length, 'dead letter')} of before ${doubtful.length === 1 ? 'is' : 'are'} there: whether they were replayed or dropped is not known${more}: ${ids}`,
    ),
  );
};

/** `dlq list`: the live dead letters, oldest first. */
export const listCommand = ({ shell, openStores }: DlqDependencies): Command =>
  withFilter(new Command('list').description('Print the waiting dead letters, oldest first'))
    .addOption(outputOption('table'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq list --reason item_refused')
    .action(({ output, ...filter }: LetterFilter & { output: string }) =>
      withStores(openStores, async (stores) => {
        const live = await liveLetters(lettersFrom(stores, shell), filter);
        const { heads, unreadable } = live;
        reportDoubtful(shell, live);
        print(shell, output, heads.map(headJson), () => letterTable(heads, unreadable, shell.clock.now(), shell.paint));
      }),
    );

/** `dlq show`: one complete letter, even if it was replayed or dropped, as long as the topic keeps it. */
export const showCommand = ({ shell, openStores }: DlqDependencies): Command =>
  new Command('show')
    .description('Print a dead letter with all its fields and its body')
    .argument('<id>', 'id of a dead letter, or its beginning', canonicalId)
    .addOption(outputOption('text'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq show 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11')
    .action((name: string, { output }: { output: string }) =>
      withStores(openStores, async ({ bus, kv }) => {
        const ids = (await createLetterIndex(bus, shell.clock).heads()).map((head) => head.id);
        const id = idOf(ids, name);
        const letter = id === undefined ? undefined : (await readLetters(bus, new Set([id]))).get(id);
        if (!letter) throw new RelayError('dead_letter_unknown', { details: { id: name.slice(0, 100) } });
        const mark = await letterMark(kv.state, letter);
        const more = { headers: redact(letter.headers), body_text: bodyText(letter) };
        print(shell, output, { state: mark?.state ?? 'live', ...letter, ...more }, () =>
          letterLines(letter, mark, shell.paint),
        );
      }),
    );

const nouns = {
  observations: 'observation',
  messages: 'message',
  texts: 'text',
  site_events: 'site event',
  commands: 'command',
  changes: 'change',
};

const storedWords = (stored: Stored): string =>
  Object.entries(stored)
    .map(([what, count]) => plural(count, nouns[what as keyof Stored]))
    .join(', ');

/** What happens to what was put on the bus again. */
const nextWords = { up: 'on the way', services: 'on the bus for the services', nobody: 'on the bus' } as const;

const replayedLine = ({ head, ...result }: Replayed, sender: Sender): string => {
  const what = printable(`${head.id}  ${head.kind}`);
  return result.ok
    ? `replayed  ${what}  ${storedWords(result.stored)} ${nextWords[sender]}`
    : `failed    ${what}  ${printable(result.error.message)}`;
};

/** Variables besides those of bus and store. */
const replayEnv = {
  PUSH_ID_ATTRIBUTE: pusherEnv.PUSH_ID_ATTRIBUTE,
  INTEGRATION_COMMANDS_TOPIC: pusherEnv.INTEGRATION_COMMANDS_TOPIC,
} as const;

/** `dlq replay`: sends letters again, oldest first, through the services that run now or later. */
export const replayCommand = ({ shell, openStores, sender: findSender }: DlqDependencies): Command =>
  withChoice(new Command('replay').description('Send dead letters again, oldest first, after their cause is fixed'))
    .option(
      '--wait <span>',
      'wait at most so long for what becomes of them, like 60s; exit with 1 unless all are accepted',
      durationOption,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ ranger-relay dlq replay 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11 --wait 60s\n  $ ranger-relay dlq replay --all --reason integration_gone',
    )
    .addHelpText('after', `\nEnvironment of a replay:\n${envHelp(replayEnv)}`)
    .action((ids: string[], { wait, ...options }: ChoiceOptions & { readonly wait?: number }) =>
      withStores(openStores, async (stores) => {
        const chosen = await chooseLetters(lettersFrom(stores, shell), choiceOf(ids, options));
        const left = new Set(options.all ? chosen.doubtful : []);
        const heads = chosen.heads.filter((head) => !left.has(head));
        const { unknown } = chosen;
        if (options.all) reportDoubtful(shell, chosen, ', so they are sent only if they are named');
        const sender = findSender();
        const sent: Sent[] = [];
        let failed = 0;
        const { clock, random } = shell;
        const env = parseEnv(replayEnv, shell.env);
        const settings = { idAttribute: env.PUSH_ID_ATTRIBUTE, commandsTopicName: env.INTEGRATION_COMMANDS_TOPIC };
        const sosLog = createSosLog({ ...stores, clock });
        const parts = { ...stores, ...settings, clock, random, sosLog, metrics: createMetrics(metricList) };
        for await (const result of replayLetters(heads, parts)) {
          if (result.ok) {
            sent.push(result);
            shell.out(replayedLine(result, sender));
          } else {
            failed += 1;
            shell.err(replayedLine(result, sender));
            shell.fail();
          }
        }
        reportUnknown(shell, unknown);
        shell.out(`${plural(heads.length - failed, 'dead letter')} replayed, ${failed + unknown.length} failed.`);
        if (sender === 'nobody' && sent.length > 0) {
          shell.out('Nothing runs here: they are sent once `ranger-relay up` runs.');
          if (wait !== undefined) shell.fail();
        } else if (wait !== undefined) await tellOutcomes(shell, stores, sent, wait);
      }),
    );

interface Options extends ChoiceOptions {
  readonly yes?: true;
  readonly dryRun?: true;
}

const lineOf = ({ id, kind, reason, sos }: LetterHead): string =>
  printable(`${id}  ${sos ? 'SOS ' : ''}${kind}  ${reason}`);

/** Naming letters implies a review; `--all` needs confirmation. @throws RelayError `usage` without a terminal to ask */
const mayDrop = async (shell: Shell, heads: readonly LetterHead[], { all, yes }: Options): Promise<boolean> => {
  if (!all || yes || heads.length === 0) return true;
  const calls = heads.filter(({ sos }) => sos).length;
  const question = `Drop ${plural(heads.length, 'dead letter')}${calls > 0 ? `, ${calls} of an SOS,` : ''} permanently?`;
  const answer = await shell.confirm(question);
  if (answer !== undefined) return answer;
  const problem = `--all drops ${plural(heads.length, 'dead letter')} permanently; add --yes, or preview with --dry-run`;
  throw usage(problem);
};

/**
 * Drops a letter. An SOS stays on its log, as dropped by a person: written first, because a letter can be dropped only once.
 * @throws RelayError `drop_not_logged`; then the letter still waits
 */
const drop = async ({ bus, kv }: Stores, shell: Shell, head: LetterHead): Promise<void> => {
  const { clock } = shell;
  const refusal = refusalOf(head);
  const at = new Date(clock.now()).toISOString();
  const steps = refusal ? [{ v: 1, ...refusal, at, step: 'dropped' } as const] : [];
  if (!(await waitForLog(clock, createSosLog({ bus, clock }).write(steps))))
    throw new RelayError('drop_not_logged', { details: { id: head.id } });
  await markLetter(kv.state, clock, head, 'dropped');
};

/** Drops letters, and tells each. Returns the number of those that are dropped. */
const dropAll = async (stores: Stores, shell: Shell, heads: readonly LetterHead[]): Promise<number> => {
  let dropped = 0;
  for (const head of heads) {
    try {
      await drop(stores, shell, head);
      shell.out(`dropped   ${lineOf(head)}`);
      dropped += 1;
    } catch (error) {
      if (!isRelayError(error, 'drop_not_logged')) throw error;
      shell.err(printable(error.message));
      shell.fail();
    }
  }
  return dropped;
};

/** `dlq drop`: drops letters permanently. `show` still prints them as long as the topic keeps them. */
export const dropCommand = ({ shell, openStores }: DlqDependencies): Command =>
  withChoice(new Command('drop').description('Drop dead letters permanently'))
    .option('--yes', 'drop without confirmation')
    .option('--dry-run', 'print what would be dropped, and drop nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  $ ranger-relay dlq drop 5f0c9a52-7d3e-4a41-9a2e-0c5f3f4b8d11\n  $ ranger-relay dlq drop --all --reason invalid_json --yes',
    )
    .action((ids: string[], options: Options) =>
      withStores(openStores, async (stores) => {
        const { heads, unknown } = await chooseLetters(lettersFrom(stores, shell), choiceOf(ids, options));
        if (options.dryRun) {
          for (const head of heads) shell.out(`to drop   ${lineOf(head)}`);
          reportUnknown(shell, unknown);
          shell.out(`${plural(heads.length, 'dead letter')} to drop; nothing was dropped.`);
        } else if (await mayDrop(shell, heads, options)) {
          const dropped = await dropAll(stores, shell, heads);
          reportUnknown(shell, unknown);
          shell.out(`${plural(dropped, 'dead letter')} dropped.`);
        } else {
          shell.out('Nothing was dropped.');
          return;
        }
        if (heads.some(({ sos }) => sos))
          shell.out('An SOS stays in `ranger-relay sos` as dropped by a person, and open until its device cancels it.');
      }),
    );

/** `dlq allow`: lets the forwarder dead-letter refused items again, after the platform refused too many in a row. */
export const allowCommand = ({ shell, openStores }: DlqDependencies): Command =>
  new Command('allow')
    .description('Allow more refused items of an integration to become dead letters, after too many in a row')
    .argument('<integration>', integrationHelp, integrationArgument)
    .option('--count <n>', 'how many more items may become dead letters in a row', wholeOption(1, 1_000_000), 20)
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq allow 2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01 --count 1000')
    .action((integration: string, { count }: { count: number }) =>
      withStores(openStores, async ({ kv }) => {
        await allowRefusals(kv.state, integration, count);
        shell.out(`${plural(count, 'item')} of ${printable(integration)} may become dead letters in a row.`);
      }),
    );

/** `dlq`: lists, shows, replays and drops dead letters. Works beside a running `up` and without one. */
export const dlqCommand = (dependencies: DlqDependencies): Command =>
  new Command('dlq')
    .addCommand(listCommand(dependencies))
    .addCommand(showCommand(dependencies))
    .addCommand(replayCommand(dependencies))
    .addCommand(dropCommand(dependencies))
    .addCommand(allowCommand(dependencies))
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq list');

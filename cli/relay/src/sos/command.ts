import { toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { momentOption, printable, type Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { createLetterIndex } from '../dlq/letters.ts';
import { outputOption, print } from '../program/output.ts';
import { type StoreOpeners, withOpen } from '../program/stores.ts';
import { findRunning, statusOfStores } from '../status/ask.ts';
import type { Problem } from '../status/model.ts';
import { createNames, named } from './names.ts';
import { sosLines } from './format.ts';
import type { SosCall } from './model.ts';
import { readSosList, oldestShown } from './read.ts';

/** Dependencies of the command. The store tells the names of integrations; the list does without. */
export interface SosDependencies extends Omit<StoreOpeners, 'activityTopic'> {
  readonly shell: Shell;
  /** What is wrong: as the running `up` says, because a full disk keeps the store as it was, otherwise as the stores do. @throws RelayError of the store */
  readonly findProblems?: () => Promise<readonly Pick<Problem, 'condition' | 'text'>[]>;
}

const problemsOf = async (openers: SosDependencies): Promise<readonly Problem[]> => {
  const { clock } = openers.shell;
  const told = openers.isRemote() ? null : await findRunning(openers, clock);
  return (told?.verdict ?? (await statusOfStores(openers, clock)).verdict).problems;
};

interface Options {
  readonly open?: true;
  readonly since?: number;
  readonly output: string;
}

/** Conditions in which requests are refused before anything knows whether there is an SOS among them. */
const refusing: ReadonlySet<string> = new Set([
  'webhook_token_refused',
  'webhook_request_refused',
  'webhook_failing',
  'sos_not_stored',
]);

interface Found {
  readonly calls: readonly SosCall[];
  /** What is to be known before the list is read. */
  readonly notes: readonly string[];
  /** Whether the list is whole. */
  readonly isWhole: boolean;
  /** An SOS was refused, and is not here yet. */
  readonly isRefused: boolean;
}

/** What is to be known about the list, whatever is in the store. */
const notesOf = async ({ shell, sender, dataDir, busSince }: SosDependencies, since: number): Promise<string[]> => {
  const begins = await busSince();
  const asked = Math.max(since, oldestShown(shell.clock));
  return [
    ...(sender() === 'nobody'
      ? [`No \`up\` runs on DATA_DIR ${dataDir()}: nothing is received or sent until one does.`]
      : []),
    ...(begins !== null && Date.parse(begins) > asked
      ? [`The record of SOS begins at ${begins}; earlier ones are not known.`]
      : []),
  ];
};

const findRefused = async (dependencies: SosDependencies): Promise<Pick<Found, 'notes' | 'isRefused'>> => {
  const { findProblems = () => problemsOf(dependencies) } = dependencies;
  try {
    const problems = (await findProblems()).filter(({ condition }) => refusing.has(condition));
    const notes = problems.map(({ condition, text }) =>
      condition === 'sos_not_stored' ? `${text}.` : `${text}; SOS among them are not listed.`,
    );
    return { notes, isRefused: problems.some(({ condition }) => condition === 'sos_not_stored') };
  } catch (error) {
    const notes = [`It is not known whether requests are refused: ${toRelayError(error).message}`];
    return { notes, isRefused: false };
  }
};

const find = async (dependencies: SosDependencies, since: number): Promise<Found> => {
  const { shell, openBus, openKv } = dependencies;
  return withOpen(openBus, async (bus) => {
    const notes = await notesOf(dependencies, since);
    const { calls: unnamed, problem } = await readSosList(bus, createLetterIndex(bus, shell.clock), shell.clock);
    if (problem) notes.push(`The list of SOS is not whole, because a topic cannot be read: ${problem.message}`);
    const { notes: refusals, isRefused } = await findRefused(dependencies);
    const name = (kv: KeyValue) => named(unnamed, createNames(kv.config, shell.clock));
    const calls = await withOpen(openKv, name).catch(() => unnamed);
    return { calls, notes: [...notes, ...refusals], isWhole: problem === null, isRefused };
  });
};

const nothing = ({ calls: { length }, isWhole, isRefused }: Found): string => {
  if (!isWhole) return 'Not known: the list is not whole.';
  if (length > 0) return `None of the ${length} SOS of the last 30 days matches.`;
  return isRefused ? 'No other SOS in the last 30 days.' : 'No SOS in the last 30 days.';
};

/** `sos`: every SOS of the last 30 days with its steps, from the bus itself; beside a running `up` or without one. */
export const sosCommand = (dependencies: SosDependencies): Command =>
  new Command('sos')
    .option(
      '--open',
      'only those that the device has not cancelled, or that are not known to have reached the platform',
    )
    .option(
      '--since <time>',
      'only those received since then: a span like 30m or 2h, or an ISO time',
      momentOption(() => dependencies.shell.clock.now()),
    )
    .addOption(outputOption('table'))
    .addHelpText('after', '\nExamples:\n  $ ranger-relay sos --open\n  $ ranger-relay sos --since 3h --output json')
    .action(async ({ open, since = -Infinity, output }: Options) => {
      const { shell } = dependencies;
      const found = await find(dependencies, since);
      const calls = found.calls.filter((call) => (!open || call.open) && Date.parse(call.received_at) >= since);
      for (const note of found.notes) shell.err(printable(note));
      if (!found.isWhole || found.isRefused || calls.some((call) => call.open)) shell.fail();
      print(shell, output, calls, () =>
        calls.length === 0 ? [nothing(found)] : sosLines(calls, shell.clock.now(), shell.paint),
      );
    });

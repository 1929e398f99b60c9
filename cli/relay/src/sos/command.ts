import { toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { integrationOfCondition, mergeConditions, sentenceOf } from '@ranger-relay/runtime';
import { sharedConditions } from '@ranger-relay/service';
import { momentOption, printable, jsonDocument, type Shell } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { createLetterIndex } from '../dlq/letters.ts';
import type { OpenBus, Sender } from '../program/stores.ts';
import type { Problem } from '../status/model.ts';
import { shownSubject } from '../status/verdict.ts';
import { createNames, named, type Names } from './names.ts';
import { sosLines } from './format.ts';
import type { SosCall } from './model.ts';
import { createSosReader, oldestShown } from './read.ts';

/** A condition that holds, in words. */
type Told = Pick<Problem, 'condition' | 'text'>;

/** Dependencies of the command. */
export interface SosDependencies {
  readonly shell: Shell;
  readonly openBus: OpenBus;
  /** The store, for the names of integrations; the list does without. */
  readonly openKv: () => Promise<KeyValue>;
  readonly sender: () => Sender;
  /** Directory of the stores of this machine, absolute. */
  readonly dataDir: () => string;
  /** What the running `up`, or a cluster, says is wrong; null when nobody answers, so that only the store tells. */
  readonly findProblems: () => Promise<readonly Told[] | null>;
  /** Since when this machine keeps its bus, ISO; null when that is not known, as on a cluster. */
  readonly busSince: () => Promise<string | null>;
}

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

/** The same of the store, which on a full disk is that of an earlier time. */
const problemsIn = async (kv: KeyValue, now: number, namesOf: Names): Promise<readonly Told[]> => {
  const states = mergeConditions((await sharedConditions(kv, now)).views).filter(({ name }) => refusing.has(name));
  const ids = states.flatMap(({ name, subject }) => integrationOfCondition(name, subject) ?? []);
  const names = await namesOf(ids);
  const nameOf = (id: string): string | null => names.get(id) ?? null;
  return states.map((each) => ({ condition: each.name, text: sentenceOf(each, shownSubject(each, nameOf)) }));
};

interface Found {
  readonly calls: readonly SosCall[];
  /** What is to be known before the list is read. */
  readonly notes: readonly string[];
  /** Whether the list is whole. */
  readonly isWhole: boolean;
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

const find = async (dependencies: SosDependencies, since: number): Promise<Found> => {
  const { shell, openBus, openKv, findProblems } = dependencies;
  const bus = await openBus();
  let kv: KeyValue | undefined;
  try {
    const notes = await notesOf(dependencies, since);
    const { calls, problem } = await createSosReader(bus, createLetterIndex(bus, shell.clock), shell.clock).read();
    const isWhole = problem === null;
    if (problem) notes.push(`The list of SOS is not whole, because a topic cannot be read: ${problem.message}`);
    const asked = await findProblems();
    const tell = (problems: readonly Told[]): void => {
      for (const { condition, text } of problems)
        if (refusing.has(condition)) notes.push(`${text}; SOS among them are not listed.`);
    };
    if (asked) tell(asked);
    try {
      kv = await openKv();
      const namesOf = createNames(kv.config, shell.clock);
      if (!asked) tell(await problemsIn(kv, shell.clock.now(), namesOf));
      return { calls: await named(calls, namesOf), notes, isWhole };
    } catch (error) {
      const { message } = toRelayError(error);
      notes.push(
        asked
          ? `The store cannot be read, so names of integrations are not known: ${message}`
          : `The store cannot be read, so it is not known whether requests are refused: ${message}`,
      );
      return { calls, notes, isWhole };
    }
  } finally {
    await kv?.close();
    await bus.close();
  }
};

const nothing = ({ length }: readonly SosCall[], isWhole: boolean): string =>
  !isWhole
    ? 'Not known: the list is not whole.'
    : length === 0
      ? 'No SOS in the last 30 days.'
      : `None of the ${length} SOS of the last 30 days is of these.`;

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
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExamples:\n  $ ranger-relay sos --open\n  $ ranger-relay sos --since 3h --output json')
    .action(async ({ open, since = -Infinity, output }: Options) => {
      const { shell } = dependencies;
      const { calls: all, notes, isWhole } = await find(dependencies, since);
      const calls = all.filter((call) => (!open || call.open) && Date.parse(call.received_at) >= since);
      for (const note of notes) shell.err(printable(note));
      if (!isWhole || calls.some((call) => call.open)) shell.fail();
      if (output === 'json') return shell.out(jsonDocument(calls));
      if (calls.length === 0) return shell.out(nothing(all, isWhole));
      for (const line of sosLines(calls, shell.clock.now(), shell.paint)) shell.out(line);
    });

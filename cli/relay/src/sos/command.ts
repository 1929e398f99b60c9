import { toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { type ConditionName, mergeConditions, sentenceOf } from '@ranger-relay/runtime';
import { conditionViews } from '@ranger-relay/service';
import { momentOption, printable, jsonDocument, type Shell } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { createLetterIndex } from '../dlq/letters.ts';
import type { OpenBus, Sender } from '../program/stores.ts';
import { createNames, named, type Names } from './names.ts';
import { sosLines } from './format.ts';
import type { SosCall } from './model.ts';
import { createSosReader } from './read.ts';

/** Dependencies of the command. */
export interface SosDependencies {
  readonly shell: Shell;
  readonly openBus: OpenBus;
  /** The store, for the names of integrations; the list does without. */
  readonly openKv: () => Promise<KeyValue>;
  readonly sender: () => Sender;
  /** Directory of the stores of this machine, absolute. */
  readonly dataDir: () => string;
}

interface Options {
  readonly open?: true;
  readonly since?: number;
  readonly output: string;
}

/** Conditions in which requests are refused before anything knows whether there is an SOS among them. */
const refusing: ReadonlySet<ConditionName> = new Set(['webhook_token_refused', 'webhook_request_refused']);

/** Which SOS the list cannot have. */
const refusalNotes = async ({ state }: KeyValue, now: number, namesOf: Names): Promise<string[]> => {
  const refused = mergeConditions(await conditionViews(state, now)).filter(({ name }) => refusing.has(name));
  const names = await namesOf(refused.map(({ subject }) => subject));
  return refused.map(
    (each) => `${sentenceOf(each, names.get(each.subject) ?? each.subject)}; SOS among them are not listed.`,
  );
};

interface Found {
  readonly calls: readonly SosCall[];
  /** What is to be known before the list is read. */
  readonly notes: readonly string[];
}

const find = async ({ shell, openBus, openKv, sender, dataDir }: SosDependencies): Promise<Found> => {
  const bus = await openBus();
  const idle = `No \`up\` runs on DATA_DIR ${dataDir()}: nothing is received or sent until one does.`;
  const notes = sender() === 'nobody' ? [idle] : [];
  let kv: KeyValue | undefined;
  try {
    const { calls, problem } = await createSosReader(bus, createLetterIndex(bus, shell.clock), shell.clock).read();
    if (problem) notes.push(`The log of SOS cannot be read, so acceptances are not known: ${problem.message}`);
    try {
      kv = await openKv();
      const namesOf = createNames(kv.config, shell.clock);
      notes.push(...(await refusalNotes(kv, shell.clock.now(), namesOf)));
      return { calls: await named(calls, namesOf), notes };
    } catch (error) {
      const { message } = toRelayError(error);
      notes.push(`The store cannot be read, so it is not known whether requests are refused: ${message}`);
      return { calls, notes };
    }
  } finally {
    await kv?.close();
    await bus.close();
  }
};

const nothing = ({ length }: readonly SosCall[]): string =>
  length === 0 ? 'No SOS in the last 30 days.' : `None of the ${length} SOS of the last 30 days is of these.`;

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
      const { calls: all, notes } = await find(dependencies);
      const calls = all.filter((call) => (!open || call.open) && Date.parse(call.received_at) >= since);
      for (const note of notes) shell.err(printable(note));
      if (calls.some((call) => call.open)) shell.fail();
      if (output === 'json') return shell.out(jsonDocument(calls));
      if (calls.length === 0) return shell.out(nothing(all));
      for (const line of sosLines(calls, shell.clock.now(), shell.paint)) shell.out(line);
    });

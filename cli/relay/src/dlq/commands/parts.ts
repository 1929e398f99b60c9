import { Command, Option } from 'commander';
import { RelayError } from '@ranger-relay/errors';
import type { Stores, OpenStores } from '../../program/stores.ts';
import type { Shell } from '@ranger-relay/terminal';
import type { Choice, LetterFilter, LetterStores } from '../select.ts';

/** What the commands on dead letters work with. */
export interface DlqDependencies {
  readonly shell: Shell;
  readonly openStores: OpenStores;
}

/** The options that say which letters are meant. */
export const withFilter = (command: Command): Command =>
  command
    .option('--integration <id>', 'of this integration alone')
    .option('--kind <kind>', 'of this kind alone, like message or webhook_event')
    .option('--reason <reason>', 'given up for this reason alone, like item_refused');

/** Ids or `--all` with a filter. */
export const withChoice = (command: Command): Command =>
  withFilter(command.argument('[ids...]', 'ids of dead letters').option('--all', 'all live ones that fit'));

/** `--output`, with the human form as default. */
export const outputOption = (human: string): Option =>
  new Option('--output <form>', 'what is printed').choices([human, 'json']).default(human);

/** Parsed options of `withChoice`. */
export type ChoiceOptions = LetterFilter & { readonly all?: true };

/** The choice that arguments and options make. */
export const choiceOf = (ids: readonly string[], { all, ...filter }: ChoiceOptions): Choice => ({
  ids,
  all: all === true,
  ...filter,
});

/** What letters are read from. */
export const lettersFrom = ({ bus, kv }: Stores, { clock }: Shell): LetterStores => ({ bus, state: kv.state, clock });

/** Tells which named letters there are not. */
export const reportUnknown = (shell: Shell, ids: readonly string[]): void => {
  for (const id of ids) {
    shell.err(new RelayError('dead_letter_unknown', { details: { id: id.slice(0, 100) } }).message);
    shell.fail();
  }
};

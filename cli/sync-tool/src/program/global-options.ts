import type { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';

interface GlobalOptions {
  readonly dryRun?: true;
  readonly summaryFile?: string;
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

const optionsOf = (command: Command): GlobalOptions => rootOf(command).opts<GlobalOptions>();

/** Nothing is to be written to the site. */
export const isDryRun = (command: Command): boolean => optionsOf(command).dryRun ?? false;

/** Where the end of the call is to be written down; undefined when nobody asks. */
export const summaryPath = (shell: Shell, command: Command): string | undefined =>
  (optionsOf(command).summaryFile ?? shell.env['SUMMARY_FILE']) || undefined;

/** The words of a command behind the name of the tool; null for the tool itself. */
export const commandWords = (command: Command): string | null => {
  if (!command.parent) return null;
  const above = commandWords(command.parent);
  return above === null ? command.name() : `${above} ${command.name()}`;
};

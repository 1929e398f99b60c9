import type { Command } from 'commander';
import { createProgram, type Shell } from '@ranger-relay/terminal';
import { about } from './about.ts';
import { commandNames, commands } from './commands.ts';

/** The whole tool, or the part of it that a call with these arguments may need: the commands that they name. */
export const syncProgram = async (shell: Shell, args: readonly string[] = commandNames): Promise<Command> =>
  createProgram(shell, about, await commands(shell, args))
    .option('--dry-run', 'before the subcommand: show every write instead of sending it')
    .option(
      '--summary-file <file>',
      'write at the end how the call ended, as JSON of at most 4096 bytes (or SUMMARY_FILE)',
    );

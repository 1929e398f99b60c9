import type { Command } from 'commander';
import { createProgram, type Shell } from '@ranger-relay/terminal';
import { about } from './about.ts';
import { commands } from './commands.ts';

/** The whole tool. */
export const syncProgram = (shell: Shell): Command =>
  createProgram(shell, about, commands(shell)).option(
    '--dry-run',
    'before the subcommand: show every write instead of sending it',
  );

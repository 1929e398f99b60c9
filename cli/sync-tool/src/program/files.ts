import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { listCommand } from '../files/list-command.ts';
import { packCommand } from '../files/pack-command.ts';
import { printCommand } from '../files/print-command.ts';
import { pruneCommand } from '../files/prune-command.ts';

/** `files`: looks after what runs have left, where nothing else can. */
export const filesCommand = (shell: Shell): Command =>
  new Command('files')
    .description('List, print, pack and prune the files that runs have left.')
    .addCommand(listCommand(shell))
    .addCommand(printCommand(shell))
    .addCommand(packCommand(shell))
    .addCommand(pruneCommand(shell));

import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { sampleCommand } from '../show/sample-command.ts';
import { showCommand } from '../show/show-command.ts';
import { validateCommand } from '../show/validate-command.ts';

/** `bundle`: looks into bundles, and makes one to try. */
export const bundleCommand = (shell: Shell): Command =>
  new Command('bundle')
    .description('Check, show and make bundles.')
    .addCommand(validateCommand(shell))
    .addCommand(showCommand(shell))
    .addCommand(sampleCommand(shell));

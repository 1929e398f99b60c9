import { Command } from 'commander';
import { getCommand } from './get.ts';
import { listCommand } from './list.ts';
import type { StateDependencies } from './parts.ts';
import { rollbackCommand } from './rollback.ts';
import { setCommand } from './set.ts';

/** `state`: what actions remember from run to run, and changes of it by hand. */
export const stateCommand = (dependencies: StateDependencies): Command =>
  new Command('state')
    .description('Look at or change what actions remember, such as watermarks')
    .addCommand(listCommand(dependencies))
    .addCommand(getCommand(dependencies))
    .addCommand(setCommand(dependencies))
    .addCommand(rollbackCommand(dependencies))
    .addHelpText('after', '\nExample:\n  $ ranger-relay state list 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01');

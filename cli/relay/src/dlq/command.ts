import { Command } from 'commander';
import { allowCommand } from './commands/allow.ts';
import { dropCommand } from './commands/drop.ts';
import { listCommand } from './commands/list.ts';
import type { DlqDependencies } from './commands/parts.ts';
import { replayCommand } from './commands/replay.ts';
import { showCommand } from './commands/show.ts';

/** `dlq`: what could not be handled, and what a person decides about it. Works beside a running `up` and without one. */
export const dlqCommand = (dependencies: DlqDependencies): Command =>
  new Command('dlq')
    .description('Look at, replay or drop what could not be handled (dead letters)')
    .addCommand(listCommand(dependencies))
    .addCommand(showCommand(dependencies))
    .addCommand(replayCommand(dependencies))
    .addCommand(dropCommand(dependencies))
    .addCommand(allowCommand(dependencies))
    .addHelpText('after', '\nExample:\n  $ ranger-relay dlq list');

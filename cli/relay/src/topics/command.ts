import { envHelp } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { aclCommand } from './commands/acl.ts';
import { applyCommand } from './commands/apply.ts';
import { checkCommand } from './commands/check.ts';
import { createCommand } from './commands/create.ts';
import { listCommand } from './commands/list.ts';
import { strimziCommand } from './commands/strimzi.ts';
import { topicsEnv } from './env.ts';
import { keeperOf, type OpenKeeper } from './keeper.ts';

/** `topics`: looks after the topics of an installation on Kafka. */
export const topicsCommand = (shell: Shell, open: OpenKeeper = () => keeperOf(shell)): Command =>
  new Command('topics')
    .description('Create or check the topics of an installation on Kafka')
    .addCommand(listCommand(shell))
    .addCommand(checkCommand(shell, open))
    .addCommand(createCommand(shell, open))
    .addCommand(applyCommand(shell, open))
    .addCommand(aclCommand(shell))
    .addCommand(strimziCommand(shell))
    .addHelpText('after', `\nEnvironment:\n${envHelp(topicsEnv)}\n\nExample:\n  $ ranger-relay topics apply`);

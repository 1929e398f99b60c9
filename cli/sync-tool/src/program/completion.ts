import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
export const completionCommand = (_shell: Shell): Command => new Command('completion').description('Print a script that lets a shell complete commands and options.');

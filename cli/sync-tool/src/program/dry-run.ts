import type { Command } from 'commander';

/** The global option that stands before the subcommand. */
export const isDryRun = (command: Command): boolean => command.parent?.opts<{ dryRun?: true }>().dryRun ?? false;

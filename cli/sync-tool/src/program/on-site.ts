import type { Site } from '@ranger-relay/site';
import type { Command } from 'commander';
import type { SyncShell } from '../run/machine.ts';
import type { Note } from '../summary/write.ts';
import { act, type Result } from './action.ts';
import { type FileSettings, fileSettings } from './config-file.ts';
import { isDryRun, type Output, outputFlag, siteFlags } from './flags.ts';
import { type SiteFlags, withSite } from './inputs.ts';

/** A call of a command about a site, which is open. */
export interface SiteCalling<Flags> {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly flags: Flags;
  readonly file: FileSettings;
  readonly dryRun: boolean;
  readonly note: Note;
}

/**
 * Completes a command about a site: adds the options of every such command and its examples, and does its work on the open site.
 * @param work gets the arguments of the call behind it
 */
export const onSite = <Flags extends SiteFlags & { readonly output: Output }>(
  shell: SyncShell,
  command: Command,
  examples: string,
  work: (calling: SiteCalling<Flags>, args: readonly string[]) => Promise<Result>,
): Command =>
  outputFlag(siteFlags(command))
    .addHelpText('after', examples)
    .action(() => {
      const flags = command.opts<Flags>();
      return act({ shell, command, output: flags.output }, async (note) => {
        const file = await fileSettings(shell.machine.disk, flags);
        const calling = { shell, flags, file, dryRun: isDryRun(command), note };
        return withSite(calling, (site) => work({ ...calling, site }, command.args));
      });
    });

import { Command, Option } from 'commander';
import { printable, type Shell } from '@ranger-relay/terminal';
import { undoRuns } from '../undo/undo.ts';
import { version } from './about.ts';
import { act } from './action.ts';
import { isDryRun } from './dry-run.ts';
import { outputFlag, siteFlags, type Output } from './flags.ts';
import { holder } from './lock-of.ts';
import { withSite } from './open-site.ts';
import { fileSettings, type SiteFlags } from './settings.ts';

const kinds = ['patrol_type', 'universal_patrol_fields', 'choice', 'subject', 'roster'] as const;

interface Flags extends SiteFlags {
  readonly deleteSubjects?: true;
  readonly force?: readonly (typeof kinds)[number][];
  readonly output: Output;
}

const example = `
Examples:
  $ sync-tool --dry-run undo patrol-datamodel-run-20260131T140311Z.json --site-endpoint site.example --site-token-file token.txt
  $ sync-tool undo patrol-datamodel-run-20260131T140311Z.json --config sync.yaml`;

/** `undo`: takes runs back. */
export const undoCommand = (shell: Shell): Command => {
  const command = new Command('undo')
    .description('Take runs back, newest first; what somebody has changed since is left as it is and named.')
    .argument('<record...>', 'run records')
    .option('--delete-subjects', 'delete the subjects that a run created; else they become inactive')
    .addOption(
      new Option('--force <kind...>', 'undo entries of these kinds although they were changed since').choices(kinds),
    );
  outputFlag(siteFlags(command)).addHelpText('after', example);
  return command.action((records: readonly string[], flags: Flags) =>
    act(shell, flags.output, async () => {
      const signal = shell.interrupted();
      return withSite(shell, flags, await fileSettings(flags), async (site) => {
        const { report, path } = await undoRuns({
          site,
          tool: `sync-tool ${version}`,
          clock: shell.clock,
          random: shell.random,
          holder: holder(),
          records,
          force: new Set(flags.force),
          deleteSubjects: flags.deleteSubjects ?? false,
          dryRun: isDryRun(command),
          signal,
          onEntry: ({ object, outcome, reason }) =>
            shell.err(printable(`${outcome}: ${object}${reason === null ? '' : ` (${reason})`}`)),
        });
        const count = (wanted: string): number => report.entries.filter(({ outcome }) => outcome === wanted).length;
        const counts = { undone: count('undone'), left: count('left'), failed: count('failed') };
        const lines = [
          `${counts.undone} undone, ${counts.left} left as they are, ${counts.failed} failed`,
          path === null ? 'Nothing was written.' : `Report: ${path}`,
        ];
        if (report.finished_at === null)
          return {
            code: 130,
            lines: lines.concat('Interrupted. Finish it: the same call again; what is undone already is left alone.'),
            json: { reason: 'interrupted', ...counts, report: path, entries: report.entries },
          };
        const code = counts.failed > 0 ? 1 : 0;
        return {
          code,
          lines,
          json: { ...(code === 1 ? { reason: 'step_failed' } : {}), ...counts, report: path, entries: report.entries },
        };
      });
    }),
  );
};

import { Command } from 'commander';
import { alignColumns, printable } from '@ranger-relay/terminal';
import { runChecks, type Check } from '../doctor/checks.ts';
import type { SyncShell } from '../run/machine.ts';
import type { Facts } from '../summary/write.ts';
import { interruption } from './action.ts';
import type { Output } from './flags.ts';
import type { SiteFlags } from './inputs.ts';
import { onSite } from './on-site.ts';

interface Flags extends SiteFlags {
  readonly rosterGroup?: string;
  readonly output: Output;
}

const signOf = ({ paint }: SyncShell, { status }: Check): string => {
  if (status === 'ok') return paint.green('ok');
  return status === 'failed' ? paint.red('failed') : paint.yellow('unknown');
};

const doctorFacts = (checks: readonly Check[]): Facts => {
  const count = (wanted: Check['status']): number => checks.filter(({ status }) => status === wanted).length;
  const failed = checks.filter(({ status }) => status === 'failed').map(({ name, detail }) => `${name}: ${detail}`);
  return {
    counts: { ok: count('ok'), failed: failed.length, unknown: count('unknown') },
    message: failed[0] ?? null,
    problems: { items: failed, left_out: 0 },
  };
};

/** `doctor`: checks a site before the first run; writes nothing. */
export const doctorCommand = (shell: SyncShell): Command => {
  const command = new Command('doctor').option('--roster-group <name>', 'subject group that subjects would join');
  const example = '\nExample:\n  $ sync-tool doctor --site-endpoint site.example --site-token-file token.txt';
  return onSite<Flags>(shell, command, example, async ({ site, flags, note }) => {
    const checks = await runChecks(site, flags.rosterGroup);
    if (shell.interrupted().aborted) throw interruption();
    const failed = checks.find(({ status }) => status === 'failed');
    note(doctorFacts(checks));
    return {
      code: failed ? 1 : 0,
      ...(failed ? { reason: failed.reason ?? 'step_failed' } : {}),
      lines: alignColumns(
        checks.map((check) => [signOf(shell, check), check.name, printable(check.detail)]),
        ['left', 'left', 'left'],
      ),
      json: { site: site.identity, checks },
    };
  });
};

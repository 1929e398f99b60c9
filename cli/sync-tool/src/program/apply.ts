import { dirname, resolve } from 'node:path';
import { hostname } from 'node:os';
import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import { RelayError } from '@ranger-relay/errors';
import { wholeOption, type Shell } from '@ranger-relay/terminal';
import { dueOf } from '../apply/apply.ts';
import { loadPlan } from '../apply/load-plan.ts';
import { describePlan } from '../plan/describe.ts';
import { checkOutput, checklistPath, folderOf } from '../run/files.ts';
import { carryOut, defaultMaxDeactivations, guardDeactivations, type Ran } from '../run/run.ts';
import { plannedTally } from '../run/tally.ts';
import { act, type Result } from './action.ts';
import { isDryRun } from './dry-run.ts';
import { outputFlag, siteFlags, type Output } from './flags.ts';
import { siteOf } from './open-site.ts';
import { showProgress } from './progress.ts';
import { fileSettings, siteSettings, type SiteFlags } from './settings.ts';
import { summaryJson, summaryLines } from './summary.ts';

interface Flags extends SiteFlags {
  readonly plan: string;
  readonly checklist?: string;
  readonly maxDeactivations?: number;
  readonly output: Output;
}

/** A plan may not be changed by what is found: the form has to be as the plan saw it until it is written. */
const neverAgain = (): never => {
  throw new RelayError('plan_outdated', { details: { objects: 'universal patrol fields' } });
};

/** Beside the bundle, as the run itself would: so that both find the same lock. */
const outputOf = async ({ plan, checklist }: Flags, bundle: string): Promise<string> => {
  const beside = checklistPath(bundle, checklist);
  if (checklist !== undefined) return beside;
  const there = await stat(dirname(beside)).catch(() => undefined);
  return there?.isDirectory() ? beside : resolve(dirname(plan), 'checklist.md');
};

const applyPlan = async (shell: Shell, flags: Flags, dryRun: boolean): Promise<Result> => {
  const site = siteOf(shell, await siteSettings(flags, await fileSettings(flags), shell.env));
  try {
    const approved = await loadPlan(flags.plan, site.host);
    const output = await outputOf(flags, approved.bundle.path);
    await checkOutput(output);
    await site.probe();
    const { plan, matches, already } = await dueOf(site, approved);
    guardDeactivations(plan, flags.maxDeactivations ?? defaultMaxDeactivations(0));
    const { clock, random } = shell;
    const nothing: Ran = { tally: plannedTally(plan), failed: new Map(), interrupted: false, record: null };
    const ran =
      dryRun || plan.changes.length === 0
        ? nothing
        : await carryOut(
            {
              site,
              folder: folderOf(output),
              clock,
              random,
              listener: showProgress(shell),
              signal: shell.interrupted(),
              holder: `${hostname()}:${process.pid}`,
              again: neverAgain,
            },
            plan,
            matches,
          );
    const code = ran.interrupted ? 130 : ran.failed.size > 0 ? 1 : 0;
    return {
      code,
      lines: [
        ...(dryRun ? [...describePlan(plan, shell.paint), ''] : []),
        ...summaryLines(plan, ran.tally, shell.paint),
        '',
        `${already} of ${approved.changes.length} changes were there already.`,
        ...(ran.record === null ? [] : [`Run record: ${ran.record}`]),
      ],
      json: {
        ...(code === 0 ? {} : { reason: code === 130 ? 'interrupted' : 'step_failed' }),
        dry_run: dryRun,
        plan_hash: approved.hash,
        already,
        ...summaryJson(plan, ran.tally),
        failures: [...ran.failed].map(([step, error]) => ({ step, reason: error.code, message: error.message })),
        record: ran.record,
      },
    };
  } finally {
    site.close();
  }
};

/** `apply`: carries out exactly one plan. */
export const applyCommand = (shell: Shell): Command => {
  const command = new Command('apply')
    .description(
      'Carry out a plan that was made before; stop before the first write when the site is not as the plan saw it.',
    )
    .requiredOption('--plan <file>', 'plan, as --plan-out of patrol-datamodel wrote it')
    .option('--checklist <path>', 'its folder takes the run record; beside the folder of the bundle when left out')
    .option('--max-deactivations <n>', 'most subjects that may be deactivated', wholeOption(0, 1_000_000));
  outputFlag(siteFlags(command)).addHelpText(
    'after',
    '\nExample:\n  $ sync-tool apply --plan plan.json --site-endpoint site.example --site-token-file token.txt',
  );
  return command.action((flags: Flags) => act(shell, flags.output, () => applyPlan(shell, flags, isDryRun(command))));
};

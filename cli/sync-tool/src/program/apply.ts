import { basename, dirname, resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import type { SyncPlan } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import { wholeOption, type Shell } from '@ranger-relay/terminal';
import { dueOf, type Due } from '../apply/apply.ts';
import { loadPlan } from '../apply/load-plan.ts';
import { describePlan } from '../plan/describe.ts';
import { checkOutput, checklistPath, folderOf } from '../run/files.ts';
import { underLocks } from '../run/lock.ts';
import { approvedCourse } from '../run/course.ts';
import { defaultMaxDeactivations, guardDeactivations } from '../run/guard.ts';
import { carryOut, type Ran } from '../run/run.ts';
import { plannedTally } from '../run/tally.ts';
import type { Note } from '../summary/write.ts';
import { act, interruption, type Result } from './action.ts';
import { isDryRun } from './global-options.ts';
import { interruptedFacts, planFacts, runFacts } from './facts.ts';
import { endOf, failuresJson } from './failures.ts';
import { formOf } from './forms.ts';
import { outputFlag, siteFlags, waitFlag, type Output } from './flags.ts';
import { endSignal, siteLocks } from './lock-of.ts';
import { withSite } from './open-site.ts';
import { showProgress } from './progress.ts';
import { fileSettings, type SiteFlags } from './settings.ts';
import { summaryJson, summaryLines } from './summary.ts';

interface Flags extends SiteFlags {
  readonly plan: string;
  readonly approved?: string;
  readonly checklist?: string;
  readonly maxDeactivations?: number;
  readonly waitForLock?: true;
  readonly output: Output;
}

interface Call {
  readonly path: string;
  readonly dryRun: boolean;
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  readonly note: Note;
}

/** Beside the bundle, as the run itself would: so that both find the same lock. */
const outputOf = async ({ plan, checklist }: Flags, bundle: string): Promise<string> => {
  if (checklist !== undefined) return resolve(checklist);
  const beside = checklistPath(bundle, undefined);
  const there = await stat(dirname(beside)).catch(() => undefined);
  return there?.isDirectory() ? beside : resolve(dirname(plan), 'checklist.md');
};

const againCall = (plan: string): string => `sync-tool apply --plan ${plan}`;

const run = async (shell: Shell, site: Site, folder: string, { plan, matches }: Due, call: Call): Promise<Ran> => {
  const signal = endSignal(shell, call.lost);
  if (signal.aborted) throw interruption();
  if (call.dryRun || plan.changes.length === 0)
    return { tally: plannedTally(plan), failed: new Map(), interrupted: false, record: null };
  const listener = { ...showProgress(shell), onRecord: (path: string) => call.note({ record: basename(path) }) };
  const parts = { site, folder, clock: shell.clock, listener, signal, course: approvedCourse(plan) };
  return carryOut(parts, { plan, matches, unplanned: new Map() });
};

const resultOf = (shell: Shell, approved: SyncPlan, { plan, already }: Due, ran: Ran, call: Call): Result => {
  const { code, reason } = endOf(ran, ran.failed);
  return {
    code,
    ...reason,
    lines: [
      ...(call.dryRun ? [...describePlan(plan, shell.paint), ''] : []),
      ...summaryLines(plan, ran.tally, shell.paint),
      '',
      `${already} of ${approved.changes.length} changes were there already.`,
      ...(ran.record === null ? [] : [`Run record: ${ran.record}`]),
      ...(call.dryRun ? ['Nothing was written.'] : []),
      ...(ran.interrupted ? [`Interrupted. Finish it: ${againCall(call.path)}`] : []),
    ],
    json: {
      dry_run: call.dryRun,
      plan_hash: approved.hash,
      already,
      ...summaryJson(plan, ran.tally),
      failures: failuresJson(ran.failed),
      record: ran.record,
    },
  };
};

const applyPlan = async (shell: Shell, flags: Flags, dryRun: boolean, note: Note): Promise<Result> => {
  return withSite({ shell, flags, file: await fileSettings(flags), note }, async (site) => {
    const approved = await loadPlan(flags.plan, site.identity, flags.approved);
    note(planFacts(approved, flags.plan));
    const output = await outputOf(flags, approved.bundle.path);
    await checkOutput(output);
    const locks = await siteLocks({ shell, site, folders: [folderOf(output)], patient: flags.waitForLock });
    return await underLocks(dryRun ? [] : locks, async (lost) => {
      const call = { path: flags.plan, dryRun, lost, note };
      await site.probe();
      const due = await dueOf(site, approved);
      guardDeactivations(due.plan.changes, flags.maxDeactivations ?? defaultMaxDeactivations(due.ours));
      const ran = await run(shell, site, folderOf(output), due, call);
      const facts = runFacts(ran, ran.failed);
      note({ ...facts, counts: { ...facts.counts, already_there: due.already } });
      if (ran.interrupted) note(interruptedFacts(againCall(flags.plan)));
      return resultOf(shell, approved, due, ran, call);
    });
  });
};

/** The hash of a plan, as `plan_hash` has it. @throws InvalidArgumentError */
export const hashOption = (text: string): string => {
  if (!new RegExp(formOf('--approved') ?? '').test(text))
    throw new InvalidArgumentError(
      'It takes the hash of a plan, 64 hex digits, as --output json prints it as plan_hash.',
    );
  return text.toLowerCase();
};

/** `apply`: carries out exactly one plan. */
export const applyCommand = (shell: Shell): Command => {
  const command = new Command('apply')
    .description(
      'Carry out a plan that was made before; stop before the first write when the site is not as the plan saw it.',
    )
    .requiredOption('--plan <file>', 'plan, as --plan-out of patrol-datamodel wrote it')
    .option('--approved <hash>', 'hash of the plan that was approved; another plan is refused', hashOption)
    .option('--checklist <path>', 'its folder takes the run record; beside the folder of the bundle when left out')
    .option('--max-deactivations <n>', 'most subjects that may be deactivated', wholeOption(0, 1_000_000));
  outputFlag(siteFlags(waitFlag(command))).addHelpText(
    'after',
    '\nExample:\n  $ sync-tool apply --plan plan.json --site-endpoint site.example --site-token-file token.txt',
  );
  return command.action((flags: Flags) =>
    act({ shell, command, output: flags.output }, (note) => applyPlan(shell, flags, isDryRun(command), note)),
  );
};

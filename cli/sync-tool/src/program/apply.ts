import { dirname, resolve } from 'node:path';
import { type SyncPlan, syncSteps } from '@ranger-relay/contracts';
import { type Site, subjectKeys } from '@ranger-relay/site';
import { plural, printable } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError } from 'commander';
import { type Due, dueOf, loadPlan } from '../apply/apply.ts';
import { labelFor } from '../bundle/labels/label.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { endText, tryToNote, unfinishedText } from '../checklist/write.ts';
import { type Verdict, verdictAfter } from '../rehearse/rehearse.ts';
import { desiredOf, skipOf, stepNames } from '../resources/index.ts';
import type { SubjectsBeside } from '../plan/subjects.ts';
import { defaultMaxDeactivations, deactivationsRefused } from '../resources/subject.ts';
import { plannedSite } from '../run/dry-run-site.ts';
import { checklistPath, checkOutput, folderOf } from '../run/files.ts';
import { readKnownRecords } from '../run/known-records.ts';
import { underLocks } from '../run/lock.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import { type RunResult, unfinishedAfter } from '../run/run.ts';
import type { Result } from './action.ts';
import { planFacts, runFacts } from './facts.ts';
import { callHint, endOf, failuresJson, resumeHint } from './failures.ts';
import { deactivationsFlag, forceUnlockFlag, formOf, type Output, recreateFlag } from './flags.ts';
import { type RunFlags, siteLocks } from './inputs.ts';
import { onSite } from './on-site.ts';
import { type PlanRun, runPlan } from './run-plan.ts';
import { planJson, planLines } from './summary.ts';

interface Flags extends RunFlags {
  readonly plan: string;
  readonly approved?: string;
  readonly checklist?: string;
  readonly output: Output;
}

/** Path of the checklist: beside the bundle, as for `sync`, so that both commands use the same lock. */
const outputOf = async (disk: Disk, { plan, checklist }: Flags, bundle: string): Promise<string> => {
  if (checklist !== undefined) return resolve(checklist);
  const beside = checklistPath(bundle, undefined);
  const there = await disk.stat(dirname(beside)).catch(() => undefined);
  return there?.isDirectory() ? beside : resolve(dirname(plan), 'checklist.md');
};

/** The input of applying the plan of a file. */
export interface PlanFileRun extends Pick<PlanRun, 'shell' | 'folder' | 'dryRun' | 'note'> {
  readonly site: Site;
  /** Path of the file. */
  readonly path: string;
  readonly approved: SyncPlan;
  readonly flags: RunFlags;
  /** Path of the checklist, which a run of the bundle has written. */
  readonly checklist: string;
}

/** Whether the patrols would import, where the bundle of the plan still lies unchanged where the plan was made. */
const verdictOf = async (
  { shell, site, approved: { bundle: planned, options }, dryRun }: PlanFileRun,
  { plan: { changes } }: Due,
): Promise<Verdict | undefined> => {
  if (shell.interrupted().aborted) return undefined;
  const { language, word } = options;
  const reading = { disk: shell.machine.disk, word };
  const bundle = await readBundle(planned.path, reading).catch(() => undefined);
  if (bundle?.manifest.sha256 !== planned.sha256) return undefined;
  const label = labelFor(bundle.manifest, language);
  const desired = desiredOf(bundle, label, options.subject_name_suffix);
  const prospect = dryRun ? await plannedSite(site, changes, word) : site;
  return verdictAfter(prospect, { bundle, desired, label, language, word });
};

/** Says how the run ended where a run of the bundle says what is left; the items stay those of that run. */
const noteEnd = async (
  { shell, site, checklist, approved }: PlanFileRun,
  ran: RunResult,
  beside: SubjectsBeside,
  verdict: Verdict | undefined,
): Promise<void> => {
  const record = unfinishedAfter(ran, beside);
  const unfinished = record && unfinishedText(checklist, record);
  const section = { area: approved.conservation_area, site, begins: true };
  await tryToNote(shell, checklist, section, endText(unfinished, verdict));
};

/** Steps that the plan lacks because they could not be planned, each with the code of its failure. */
const unplannedSteps = ({ steps }: SyncPlan) =>
  syncSteps.flatMap((step) => {
    const reason = steps[step]?.skipped ?? null;
    if (reason === null || skipOf(reason)) return [];
    const message = `${stepNames[step]}: it could not be planned (${reason}), so the plan lacks it; fix that, and plan again`;
    return [{ step, reason, message }];
  });

const applyUnderLock = async (parts: PlanFileRun): Promise<Result> => {
  const { shell, site, path, approved, flags, dryRun, folder, note } = parts;
  const { conservation_area: area, bundle, options } = approved;
  const user = await site.probe();
  const due = await dueOf(site, approved);
  const refusal = deactivationsRefused(due.plan.changes, flags.maxDeactivations ?? defaultMaxDeactivations(due.ours));
  if (refusal) throw refusal;
  const beside = {
    ...(await readKnownRecords(shell.machine.disk, folder, site.identity, area.uuid)),
    keys: subjectKeys(options.word),
    exportedAt: bundle.exported_at,
    mayRecreate: user.isSuperuser || flags.recreateMissing === true,
  };
  const ran = await runPlan({ ...parts, ...due, beside, sources: { plan: resolve(path), checklist: parts.checklist } });
  const hint =
    ran.record === null ? callHint(shell, ['apply', '--plan', resolve(path)], flags) : resumeHint(shell, ran, flags);
  const facts = runFacts(ran, ran.failed, hint);
  const unplanned = unplannedSteps(approved);
  for (const { message } of unplanned) shell.err(printable(message));
  note({
    ...facts,
    counts: { ...facts.counts, already_there: due.already },
    failures: [...(facts.failures ?? []), ...unplanned.map(({ step, reason }) => ({ step, reason }))],
    message: [facts.message ?? [], unplanned.map(({ message }) => message)].flat().join('; ') || null,
  });
  const verdict = ran.interrupted ? undefined : await verdictOf(parts, due);
  note({ verdict: verdict?.sentence ?? null });
  if (!dryRun) await noteEnd(parts, ran, beside, verdict);
  const ended = { plan: due.plan, ran, failed: ran.failed, verdict, dryRun };
  const already = `Already there: ${due.already} of ${plural(approved.changes.length, 'change')}.`;
  const end = endOf(ran, ran.failed);
  const lacking: Pick<Result, 'code' | 'reason'> = { code: 1, reason: 'step_failed' };
  return {
    ...(end.code === 0 && unplanned.length > 0 ? lacking : end),
    lines: planLines(shell, ended, hint, due.already > 0 ? [already] : []),
    json: {
      ...planJson(ended),
      plan_hash: approved.hash,
      already: due.already,
      failures: [...failuresJson(ran.failed, ran.failures), ...unplanned],
    },
  };
};

/**
 * Applies what is left of the plan of a file, and nothing else.
 * @throws RelayError `plan_outdated`, `too_many_deactivations`, `locked`, and what a run throws
 */
export const applyPlanFile = async (parts: PlanFileRun): Promise<Result> => {
  const { shell, site, folder, approved, flags, dryRun, note } = parts;
  note(planFacts(approved, parts.path));
  await checkOutput(shell.machine.disk, parts.checklist);
  const locks = dryRun ? [] : await siteLocks(shell, site, flags, [folder]);
  return underLocks(locks, () => applyUnderLock({ ...parts, site: site.withWord(approved.options.word) }));
};

/** Parses the hash of a plan, in the format of `plan_hash`. @throws InvalidArgumentError */
export const hashOption = (text: string): string => {
  if (!new RegExp(formOf('--approved') ?? '').test(text))
    throw new InvalidArgumentError(
      'It takes the hash of a plan, 64 hex digits, as --output json prints it as plan_hash.',
    );
  return text.toLowerCase();
};

/** `apply`: applies exactly one plan. */
export const applyCommand = (shell: SyncShell): Command => {
  const command = new Command('apply')
    .requiredOption('--plan <file>', 'plan, as --plan-out of patrol-datamodel wrote it')
    .option('--approved <hash>', 'hash of the plan that was approved; another plan is refused', hashOption)
    .option('--checklist <path>', 'its folder takes the run record; beside the folder of the bundle when left out');
  return onSite<Flags>(
    shell,
    forceUnlockFlag(recreateFlag(deactivationsFlag(command))),
    '\nExample:\n  $ sync-tool apply --plan plan.json --site-endpoint site.example --site-token-file token.txt',
    async (calling) => {
      const { site, flags } = calling;
      const { disk } = shell.machine;
      const approved = await loadPlan(disk, flags.plan, site.identity, flags.approved);
      const checklist = await outputOf(disk, flags, approved.bundle.path);
      return applyPlanFile({ ...calling, path: flags.plan, approved, folder: folderOf(checklist), checklist });
    },
  );
};

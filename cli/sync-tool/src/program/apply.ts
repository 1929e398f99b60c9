import { basename, dirname, resolve } from 'node:path';
import type { SyncPlan } from '@ranger-relay/contracts';
import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { type Site, subjectKeys } from '@ranger-relay/site';
import { plural, printable, wholeOption } from '@ranger-relay/terminal';
import { noteVerdict } from '../checklist/write.ts';
import { Command, InvalidArgumentError } from 'commander';
import { type Due, dueOf, loadPlan } from '../apply/apply.ts';
import { labelFor } from '../bundle/labels/label.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { deactivationLines, describePlan } from '../plan/describe.ts';
import type { SubjectsBeside } from '../plan/subjects.ts';
import { type Verdict, verdictAfter, verdictJson } from '../rehearse/rehearse.ts';
import { approvedCourse, desiredOf } from '../resources/index.ts';
import { checklistPath, checkOutput, folderOf } from '../run/files.ts';
import { areNeedsRecorded, readKnownRecords } from '../run/known-records.ts';
import { underLocks } from '../run/lock.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import { plannedSite } from '../run/dry-run-site.ts';
import { carryOut, type Earlier, nothingRan, type Ran } from '../run/run.ts';
import { plannedTally } from '../run/tally.ts';
import type { Note } from '../summary/write.ts';
import { fileSettings } from './config-file.ts';
import { act, interruption, type Result } from './action.ts';
import { interruptedFacts, planFacts, runFacts } from './facts.ts';
import { callHint, endOf, failuresJson, goOnLines, resumeHint } from './failures.ts';
import { formOf, isDryRun, type Output, outputFlag, recreateFlag, siteFlags, waitFlag } from './flags.ts';
import { endSignal, siteLocks, withSite, type SiteFlags } from './inputs.ts';
import { showProgress, summaryJson, summaryLines, verdictLines, verdictSources } from './summary.ts';
import { defaultMaxDeactivations, guardDeactivations } from '../resources/subject.ts';

interface Flags extends SiteFlags {
  readonly plan: string;
  readonly approved?: string;
  readonly checklist?: string;
  readonly maxDeactivations?: number;
  readonly recreateMissing?: true;
  readonly waitForLock?: true;
  readonly output: Output;
}

/** Path of the checklist: beside the bundle, as for `sync`, so that both commands use the same lock. */
const outputOf = async (disk: Disk, { plan, checklist }: Flags, bundle: string): Promise<string> => {
  if (checklist !== undefined) return resolve(checklist);
  const beside = checklistPath(bundle, undefined);
  const there = await disk.stat(dirname(beside)).catch(() => undefined);
  return there?.isDirectory() ? beside : resolve(dirname(plan), 'checklist.md');
};

/** The input of carrying out an approved plan, while the lock of its site is held. */
export interface ApprovedRun {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly approved: SyncPlan;
  readonly flags: SiteFlags & Pick<Flags, 'plan' | 'maxDeactivations' | 'recreateMissing'>;
  /** Folder of the run record. */
  readonly folder: string;
  /** Path of the checklist, which a run of the bundle has written. */
  readonly checklist: string;
  readonly dryRun: boolean;
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  readonly note: Note;
  /** Opens the earlier part of a resumed run, after the check that the plan is still valid. */
  readonly earlier?: (() => Promise<Earlier>) | undefined;
}

const run = async (parts: ApprovedRun, { plan, matches }: Due, beside: SubjectsBeside): Promise<Ran> => {
  const { shell, site, folder, flags, note } = parts;
  const signal = endSignal(shell, parts.lost);
  if (signal.aborted) throw interruption();
  const isRecorded = areNeedsRecorded(beside, plan.needs);
  if (parts.dryRun || (plan.changes.length === 0 && isRecorded && !parts.earlier))
    return nothingRan(plannedTally(plan));
  const listener = { ...showProgress(shell), onRecord: (path: string) => note({ record: basename(path) }) };
  const course = approvedCourse(beside);
  const earlier = await parts.earlier?.();
  const sources = { plan: resolve(flags.plan) };
  return carryOut(
    { site, disk: shell.machine.disk, folder, clock: shell.clock, listener, signal, course },
    { plan, matches, unplanned: new Map(), earlier, sources, isRecorded },
  );
};

/** The call that finishes the plan: by its record, if it has one. */
const goOnHint = ({ shell, flags }: ApprovedRun, { record }: Pick<Ran, 'record'>): string =>
  record === null ? callHint(shell, ['apply', '--plan', resolve(flags.plan)], flags) : resumeHint(shell, record, flags);

/** Whether the patrols would import, where the bundle of the plan still lies unchanged where the plan was made. */
const verdictOf = async (
  { shell, site, approved: { bundle: planned, options }, dryRun }: ApprovedRun,
  { plan: { changes } }: Due,
  { interrupted }: Ran,
): Promise<Verdict | undefined> => {
  if (interrupted || shell.interrupted().aborted) return undefined;
  const reading = { disk: shell.machine.disk, word: options.word, requirements: true };
  const bundle = await readBundle(planned.path, reading).catch(() => undefined);
  if (bundle?.manifest.sha256 !== planned.sha256) return undefined;
  const label = labelFor(bundle.manifest, options.language);
  const desired = desiredOf(bundle, label, options.subject_name_suffix);
  const prospect = dryRun ? await plannedSite(site, changes, options.word) : site;
  return verdictAfter(prospect, verdictSources({ desired }, bundle, label, options));
};

const resultOf = (parts: ApprovedRun, { plan, already }: Due, ran: Ran, verdict: Verdict | undefined): Result => {
  const { shell, approved, dryRun } = parts;
  const { code, reason } = endOf(ran, ran.failed);
  const isOutdated = [...ran.failed.values()].some((error) => isRelayError(error, 'plan_outdated'));
  return {
    code,
    ...reason,
    lines: [
      ...(dryRun ? [...describePlan(plan, shell.paint), ''] : deactivationLines(plan.changes, shell.paint)),
      ...summaryLines(plan, ran.tally, { paint: shell.paint, dryRun }),
      '',
      ...(already > 0 ? [`Already there: ${already} of ${plural(approved.changes.length, 'change')}.`] : []),
      ...(ran.record === null ? [] : [`Run record: ${ran.record}`]),
      ...(dryRun ? ['Nothing was written to the site.'] : []),
      ...goOnLines(ran, isOutdated ? new Map() : ran.failed, goOnHint(parts, ran)),
      ...verdictLines(verdict, dryRun && plan.changes.length > 0),
    ],
    json: {
      dry_run: dryRun,
      plan_hash: approved.hash,
      already,
      ...summaryJson(plan, ran.tally),
      failures: failuresJson(ran.failed, ran.failures),
      record: ran.record,
      ...verdictJson(verdict),
    },
  };
};

/**
 * Carries out what is left of an approved plan, and nothing else.
 * @throws RelayError `plan_outdated`, `too_many_deactivations`, and what a run throws
 */
export const carryOutApproved = async (parts: ApprovedRun): Promise<Result> => {
  const { shell, site, approved, flags, folder, note } = parts;
  const user = await site.probe();
  const due = await dueOf(site, approved);
  guardDeactivations(due.plan.changes, flags.maxDeactivations ?? defaultMaxDeactivations(due.ours));
  const { conservation_area: area, bundle } = approved;
  const known = await readKnownRecords(shell.machine.disk, folder, site.identity, area.uuid);
  const mayRecreate = user.isSuperuser || flags.recreateMissing === true;
  const ran = await run(parts, due, {
    ...known,
    keys: subjectKeys(approved.options.word),
    exportedAt: bundle.exported_at,
    mayRecreate,
  });
  const facts = runFacts(ran, ran.failed);
  note({ ...facts, counts: { ...facts.counts, already_there: due.already } });
  if (ran.interrupted) note(interruptedFacts(goOnHint(parts, ran)));
  const verdict = await verdictOf(parts, due, ran);
  note({ verdict: verdict?.sentence ?? null });
  if (verdict && !parts.dryRun)
    await noteVerdict(shell.machine.disk, parts.checklist, { area, site }, verdict).catch((error: unknown) =>
      shell.err(printable(`Warning: ${toRelayError(error).message}`)),
    );
  return resultOf(parts, due, ran, verdict);
};

const applyPlan = async (shell: SyncShell, flags: Flags, dryRun: boolean, note: Note): Promise<Result> => {
  const { disk } = shell.machine;
  return withSite({ shell, flags, file: await fileSettings(disk, flags), note }, async (site) => {
    const approved = await loadPlan(disk, flags.plan, site.identity, flags.approved);
    note(planFacts(approved, flags.plan));
    const output = await outputOf(disk, flags, approved.bundle.path);
    await checkOutput(disk, output);
    const folder = folderOf(output);
    const locks = await siteLocks({ shell, site, folders: [folder], patient: flags.waitForLock });
    return await underLocks(dryRun ? [] : locks, (lost) =>
      carryOutApproved({
        shell,
        site: site.withWord(approved.options.word),
        approved,
        flags,
        folder,
        checklist: output,
        dryRun,
        lost,
        note,
      }),
    );
  });
};

/** Parses the hash of a plan, in the format of `plan_hash`. @throws InvalidArgumentError */
export const hashOption = (text: string): string => {
  if (!new RegExp(formOf('--approved') ?? '').test(text))
    throw new InvalidArgumentError(
      'It takes the hash of a plan, 64 hex digits, as --output json prints it as plan_hash.',
    );
  return text.toLowerCase();
};

/** `apply`: carries out exactly one approved plan. */
export const applyCommand = (shell: SyncShell): Command => {
  const command = new Command('apply')
    .requiredOption('--plan <file>', 'plan, as --plan-out of patrol-datamodel wrote it')
    .option('--approved <hash>', 'hash of the plan that was approved; another plan is refused', hashOption)
    .option('--checklist <path>', 'its folder takes the run record; beside the folder of the bundle when left out')
    .option('--max-deactivations <n>', 'maximum number of subjects to deactivate', wholeOption(0, 1_000_000));
  outputFlag(siteFlags(waitFlag(recreateFlag(command)))).addHelpText(
    'after',
    '\nExample:\n  $ sync-tool apply --plan plan.json --site-endpoint site.example --site-token-file token.txt',
  );
  return command.action((flags: Flags) =>
    act({ shell, command, output: flags.output }, (note) => applyPlan(shell, flags, isDryRun(command), note)),
  );
};

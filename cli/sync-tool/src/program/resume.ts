import { dirname } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { wholeOption } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { loadPlan } from '../apply/apply.ts';
import { checklistPath } from '../run/files.ts';
import { underLocks } from '../run/lock.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import { checkSite, type LoadedRecord, loadRecord, reopenJournal } from '../run/record.ts';
import type { Earlier } from '../run/run.ts';
import { resolvePendingWrites } from '../run/resolve-pending-writes.ts';
import type { Note } from '../summary/write.ts';
import { fileSettings } from './config-file.ts';
import { act, type Result } from './action.ts';
import { carryOutApproved, hashOption } from './apply.ts';
import { callHint } from './failures.ts';
import { planFacts } from './facts.ts';
import { isDryRun, type Output, outputFlag, recreateFlag, siteFlags, waitFlag } from './flags.ts';
import { siteLocks, withSite, loadBundle, type SiteFlags } from './inputs.ts';
import { namedRecords } from './records.ts';
import { syncRun } from './sync.ts';

interface Flags extends SiteFlags {
  readonly plan?: string;
  readonly approved?: string;
  readonly bundle?: string;
  readonly checklist?: string;
  readonly maxDeactivations?: number;
  readonly recreateMissing?: true;
  readonly waitForLock?: true;
  readonly output: Output;
}

const refuse = ({ files }: LoadedRecord, reason: string): RelayError =>
  new RelayError('record_invalid', { details: { path: files.record, reason } });

/** The options of resuming a run. */
export type ResumeOptions = Omit<Flags, 'output'>;

/** A run that was stopped after its last write may have left a checklist of before. */
const finished = (shell: SyncShell, { files, record }: LoadedRecord, flags: ResumeOptions): Result => {
  const checklist = flags.checklist ?? checklistPath(files.record, record.checklist);
  const bundle = flags.bundle ?? record.bundle.path;
  const verify = callHint(shell, ['verify', '--bundle', bundle, '--checklist', checklist], flags);
  return {
    code: 0,
    lines: [
      'The run was finished; nothing is left to write.',
      `Bring its checklist up to date, and see whether the patrols would import: ${verify}`,
    ],
    json: { record: files.record, finished: true },
  };
};

/** Loads the record of a run on this site. @throws RelayError `record_invalid` */
const loadOf = async (disk: Disk, site: Site, path: string): Promise<LoadedRecord> => {
  const loaded = await loadRecord(disk, path);
  checkSite(loaded, site.identity);
  return loaded;
};

/** The input of resuming a run. */
interface Resumed {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly loaded: LoadedRecord;
  readonly flags: ResumeOptions;
  readonly lost: AbortSignal;
  readonly note: Note;
}

/** Resolves the writes with an unknown outcome from the site, and reopens the journal. */
const reopen = async ({ site, loaded }: Resumed): Promise<Earlier> => {
  const { files, record, entries } = loaded;
  return { files, record, nextNumber: await reopenJournal(files, await resolvePendingWrites(site, entries, files)) };
};

/** Resumes a run of an approved plan: writes only what is left of that plan. */
const goOnWithPlan = async (resumed: Resumed, path: string): Promise<Result> => {
  const { site, loaded, flags, note } = resumed;
  const { record, files } = loaded;
  const approved = await loadPlan(files.disk, path, site.identity, flags.approved);
  if (approved.hash !== record.plan_hash)
    throw refuse(loaded, `its run carried out the plan ${record.plan_hash}, and ${path} is the plan ${approved.hash}`);
  note(planFacts(approved, path));
  return carryOutApproved({
    ...resumed,
    approved,
    flags: { ...flags, plan: path },
    folder: dirname(files.record),
    checklist: flags.checklist ?? checklistPath(files.record, record.checklist),
    dryRun: false,
    earlier: () => reopen(resumed),
  });
};

/** Resumes a run without an approved plan: writes whatever the bundle still requires. */
const goOnWithBundle = async (resumed: Resumed): Promise<Result> => {
  const { shell, site, loaded, flags, lost, note } = resumed;
  const { record, files } = loaded;
  const { options } = record;
  const path = flags.bundle ?? record.bundle.path;
  const { bundle } = await loadBundle(shell, { path, language: options.language, word: options.word });
  if (bundle.manifest.sha256 !== record.bundle.sha256)
    throw refuse(loaded, 'the bundle is not the one that the run began with; run the new one, or undo the old');
  await site.probe();
  return await syncRun({
    shell,
    site,
    flags,
    bundle,
    options,
    checklist: flags.checklist ?? checklistPath(files.record, record.checklist),
    dryRun: false,
    maxDeactivations: flags.maxDeactivations,
    recreateMissing: flags.recreateMissing,
    isWordSet: true,
    earlier: { ...(await reopen(resumed)), lost },
    note,
  });
};

/**
 * Finishes a run on an open site. Reads the record while holding the lock, because a run in progress holds the same lock.
 * @throws RelayError `record_invalid`, `plan_invalid`, `plan_outdated`, `locked`, and what a run throws
 */
export const resumeRun = async (
  shell: SyncShell,
  site: Site,
  path: string,
  flags: ResumeOptions,
  note: Note,
): Promise<Result> => {
  await loadOf(shell.machine.disk, site, path);
  const locks = await siteLocks({ shell, site, folders: [dirname(path)], patient: flags.waitForLock });
  return underLocks(locks, async (lost) => {
    const loaded = await loadOf(shell.machine.disk, site, path);
    const { undone, status, plan_hash, plan } = loaded.record;
    if (undone) throw refuse(loaded, `the run was taken back, wholly or in part, at ${undone.at}; run again instead`);
    note({ plan_hash });
    if (status === 'complete') return finished(shell, loaded, flags);
    const resumed = { shell, site: site.withWord(loaded.record.options.word), loaded, flags, lost, note };
    const approved = flags.plan ?? plan;
    if (approved === undefined && flags.approved !== undefined)
      throw refuse(loaded, 'it names no plan that could have been approved; give it with --plan');
    return approved === undefined ? goOnWithBundle(resumed) : goOnWithPlan(resumed, approved);
  });
};

const resume = async (
  shell: SyncShell,
  named: string,
  flags: Flags,
  { dryRun, note }: { readonly dryRun: boolean; readonly note: Note },
): Promise<Result> => {
  if (dryRun)
    throw new RelayError('usage', {
      details: { problem: 'resume has no dry run; --dry-run patrol-datamodel on the same bundle shows what is left' },
    });
  return withSite({ shell, flags, file: await fileSettings(shell.machine.disk, flags), note }, async (site) => {
    const [path = named] = await namedRecords(shell, [named], site.identity, note);
    return await resumeRun(shell, site, path, flags, note);
  });
};

/** `resume`: finishes an interrupted run. */
export const resumeCommand = (shell: SyncShell): Command => {
  const command = new Command('resume')
    .argument('<record>', 'run record, or a folder for its newest one')
    .option('--plan <file>', 'plan that the run carries out, when it has moved; a run of apply writes nothing else')
    .option('--approved <hash>', 'hash of the plan that was approved; another plan is refused', hashOption)
    .option('--bundle <dir>', 'where the bundle lies now, when it has moved')
    .option('--checklist <path>', 'where the checklist goes; where the run put it when left out')
    .option('--max-deactivations <n>', 'maximum number of subjects to deactivate', wholeOption(0, 1_000_000));
  outputFlag(siteFlags(waitFlag(recreateFlag(command)))).addHelpText(
    'after',
    '\nExample:\n  $ sync-tool resume patrol-datamodel-run-20260131T140311Z.json --config sync.yaml',
  );
  return command.action((path: string, flags: Flags) =>
    act({ shell, command, output: flags.output }, (note) =>
      resume(shell, path, flags, { dryRun: isDryRun(command), note }),
    ),
  );
};

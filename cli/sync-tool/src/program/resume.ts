import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { wholeOption, type Shell } from '@ranger-relay/terminal';
import { underLocks } from '../run/lock.ts';
import { loadRecord, reopenJournal, type LoadedRecord } from '../run/record.ts';
import { settle } from '../run/settle.ts';
import type { Note } from '../summary/write.ts';
import { act, type Result } from './action.ts';
import { isDryRun } from './global-options.ts';
import { outputFlag, siteFlags, waitFlag, type Output } from './flags.ts';
import { siteLocks } from './lock-of.ts';
import { withSite } from './open-site.ts';
import { namedRecords } from './records.ts';
import { loadBundle } from './read-bundle.ts';
import { fileSettings, type SiteFlags } from './settings.ts';
import { syncRun } from './sync.ts';

interface Flags extends SiteFlags {
  readonly bundle?: string;
  readonly checklist?: string;
  readonly maxDeactivations?: number;
  readonly waitForLock?: true;
  readonly output: Output;
}

const refuse = ({ files }: LoadedRecord, reason: string): RelayError =>
  new RelayError('record_invalid', { details: { path: files.record, reason } });

const finished = ({ files }: LoadedRecord): Result => ({
  code: 0,
  lines: ['The run was finished; nothing is left to do.'],
  json: { record: files.record, finished: true },
});

/** What a person may say about a run that goes on. */
export type ResumeOptions = Pick<Flags, 'bundle' | 'checklist' | 'maxDeactivations' | 'waitForLock'>;

/** The record of a run on this site. @throws RelayError `record_invalid` */
const loadOf = async (site: Site, path: string): Promise<LoadedRecord> => {
  const loaded = await loadRecord(path);
  const { record } = loaded;
  if (record.site !== site.identity) throw refuse(loaded, `it is of the site ${record.site}, not of ${site.identity}`);
  return loaded;
};

const goOn = async (
  shell: Shell,
  site: Site,
  loaded: LoadedRecord,
  flags: ResumeOptions,
  { lost, note }: { readonly lost: AbortSignal; readonly note: Note },
): Promise<Result> => {
  const { record, files, entries } = loaded;
  const { options } = record;
  const path = flags.bundle ?? record.bundle.path;
  const { bundle } = await loadBundle(shell, { path, language: options.language });
  if (bundle.manifest.sha256 !== record.bundle.sha256)
    throw refuse(loaded, 'the bundle is not the one that the run began with; run the new one, or undo the old');
  await site.probe();
  const nextNumber = await reopenJournal(files, await settle(site, entries, files));
  return await syncRun({
    shell,
    site,
    bundle,
    options,
    checklist: flags.checklist ?? join(dirname(files.record), 'checklist.md'),
    dryRun: false,
    maxDeactivations: flags.maxDeactivations,
    earlier: { files, record, nextNumber, lost },
    note,
  });
};

/**
 * Finishes a run on an open site. The record is read under the lock: a run that still goes on holds it.
 * @throws RelayError `record_invalid`, `locked`, and what a run throws
 */
export const resumeRun = async (
  shell: Shell,
  site: Site,
  path: string,
  flags: ResumeOptions,
  note: Note,
): Promise<Result> => {
  await loadOf(site, path);
  const locks = await siteLocks({ shell, site, folders: [dirname(path)], patient: flags.waitForLock });
  return underLocks(locks, async (lost) => {
    const loaded = await loadOf(site, path);
    if (loaded.record.status !== 'complete') return goOn(shell, site, loaded, flags, { lost, note });
    note({ plan_hash: loaded.record.plan_hash });
    return finished(loaded);
  });
};

const resume = async (
  shell: Shell,
  named: string,
  flags: Flags,
  { dryRun, note }: { readonly dryRun: boolean; readonly note: Note },
): Promise<Result> => {
  if (dryRun)
    throw new RelayError('usage', {
      details: { problem: 'resume has no dry run; --dry-run patrol-datamodel on the same bundle shows what is left' },
    });
  return withSite({ shell, flags, file: await fileSettings(flags), note }, async (site) => {
    const [path = named] = await namedRecords(shell, [named], site.identity, note);
    return await resumeRun(shell, site, path, flags, note);
  });
};

/** `resume`: finishes a run that was broken off. */
export const resumeCommand = (shell: Shell): Command => {
  const command = new Command('resume')
    .description('Finish a run that was broken off or failed, in the same record.')
    .argument('<record>', 'run record; a folder stands for its newest')
    .option('--bundle <dir>', 'where the bundle lies now, when it has moved')
    .option('--checklist <path>', 'where the checklist goes; beside the record when left out')
    .option('--max-deactivations <n>', 'most subjects that may be deactivated', wholeOption(0, 1_000_000));
  outputFlag(siteFlags(waitFlag(command))).addHelpText(
    'after',
    '\nExample:\n  $ sync-tool resume patrol-datamodel-run-20260131T140311Z.json --config sync.yaml',
  );
  return command.action((path: string, flags: Flags) =>
    act({ shell, command, output: flags.output }, (note) =>
      resume(shell, path, flags, { dryRun: isDryRun(command), note }),
    ),
  );
};

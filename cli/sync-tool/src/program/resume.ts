import { dirname } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { Command } from 'commander';
import { loadPlan } from '../apply/apply.ts';
import type { SyncShell } from '../run/machine.ts';
import { checkSite, type LoadedRecord, loadRecord } from '../run/record.ts';
import type { Note } from '../summary/write.ts';
import type { Result } from './action.ts';
import { applyPlanFile, hashOption } from './apply.ts';
import { callHint } from './failures.ts';
import { deactivationsFlag, forceUnlockFlag, type Output, recreateFlag } from './flags.ts';
import { loadBundle, type RunFlags } from './inputs.ts';
import { onSite } from './on-site.ts';
import { namedRecords } from './records.ts';
import { syncRun } from './sync.ts';

/** The options of resuming a run. */
export interface ResumeOptions extends RunFlags {
  readonly plan?: string;
  readonly approved?: string;
  readonly bundle?: string;
  readonly checklist?: string;
}

interface Flags extends ResumeOptions {
  readonly output: Output;
}

const refuse = ({ files }: LoadedRecord, reason: string): RelayError =>
  new RelayError('record_invalid', { details: { path: files.record, reason } });

/** The input of resuming a run. */
interface Resumed {
  readonly shell: SyncShell;
  readonly site: Site;
  readonly loaded: LoadedRecord;
  readonly flags: ResumeOptions;
  readonly folder: string;
  readonly checklist: string;
  readonly dryRun: boolean;
  readonly note: Note;
}

/** A run that was stopped after its last write may have left a checklist of before. */
const finished = ({ shell, loaded: { files, record }, flags, checklist }: Resumed): Result => {
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

/** Applies the plan of the run again: what is done is found done. */
const applyAgain = async (resumed: Resumed, path: string): Promise<Result> => {
  const { site, loaded, flags } = resumed;
  const { record, files } = loaded;
  const approved = await loadPlan(files.disk, path, site.identity, flags.approved);
  if (approved.hash !== record.plan_hash)
    throw refuse(loaded, `its run applied the plan ${record.plan_hash}, and ${path} is the plan ${approved.hash}`);
  return applyPlanFile({ ...resumed, approved, path });
};

/** Plans the same bundle again with the options of the run, and applies that. */
const runAgain = async (resumed: Resumed): Promise<Result> => {
  const { shell, site, loaded, flags } = resumed;
  const { options, bundle: planned } = loaded.record;
  const path = flags.bundle ?? planned.path;
  const { bundle } = await loadBundle(shell, { path, language: options.language, word: options.word });
  if (bundle.manifest.sha256 !== planned.sha256)
    throw refuse(loaded, 'the bundle is not the one that the run began with; run the new one, or undo the old');
  return syncRun({ ...resumed, site: site.withWord(options.word), bundle, options, isWordSet: true });
};

/**
 * Finishes a run on an open site, in a record of its own.
 * @throws RelayError `record_invalid`, `plan_invalid`, `plan_outdated`, `locked`, and what a run throws
 */
export const resumeRun = async (
  parts: Omit<Resumed, 'loaded' | 'folder' | 'checklist'>,
  path: string,
): Promise<Result> => {
  const { shell, site, flags, note } = parts;
  const loaded = await loadRecord(shell.machine.disk, path);
  checkSite(loaded, site.identity);
  const { undone, status, plan_hash, plan, checklist } = loaded.record;
  if (undone) throw refuse(loaded, `the run was taken back, wholly or in part, at ${undone.at}; run again instead`);
  note({ plan_hash });
  const resumed = {
    ...parts,
    loaded,
    folder: dirname(path),
    checklist: flags.checklist ?? checklist,
  };
  if (status === 'complete') return finished(resumed);
  const approved = flags.plan ?? plan;
  if (approved !== undefined) return applyAgain(resumed, approved);
  if (flags.approved === undefined) return runAgain(resumed);
  throw refuse(loaded, 'it names no plan that could have been approved; give it with --plan');
};

/** `resume`: finishes an interrupted run. */
export const resumeCommand = (shell: SyncShell): Command => {
  const command = new Command('resume')
    .argument('<record>', 'run record, or a folder for its newest one')
    .option('--plan <file>', 'plan that the run applies, when it has moved; a run of apply writes nothing else')
    .option('--approved <hash>', 'hash of the plan that was approved; another plan is refused', hashOption)
    .option('--bundle <dir>', 'where the bundle lies now, when it has moved')
    .option('--checklist <path>', 'where the checklist goes; where the run put it when left out');
  return onSite<Flags>(
    shell,
    forceUnlockFlag(recreateFlag(deactivationsFlag(command))),
    '\nExample:\n  $ sync-tool resume patrol-datamodel-run-20260131T140311Z.json --config sync.yaml',
    async (calling, args) => {
      const [path = ''] = await namedRecords(shell, args, calling.site.identity, calling.note);
      return resumeRun(calling, path);
    },
  );
};

import { type SyncPlan, syncSteps } from '@ranger-relay/contracts';
import { entryOf, RelayError } from '@ranger-relay/errors';
import { printable, printableText } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { labelFor } from '../bundle/labels/label.ts';
import { openItems, readChecklist, writeChecklist } from '../checklist/write.ts';
import { describePlan, itemLine, skippedJson, unseenLines, verdictLines } from './summary.ts';
import { prepare } from '../plan/plan.ts';
import { checklistPath, checkOutput, folderOf } from '../run/files.ts';
import { interruptedRecord } from '../run/known-records.ts';
import type { SyncShell } from '../run/machine.ts';
import { attempt } from '../plan/state.ts';
import { stepNames } from '../resources/index.ts';
import { unlistedMembers } from '../resources/roster.ts';
import { asRead } from '../rehearse/facts.ts';
import { effectsOf, type Verdict, verdictAfter, verdictJson } from '../rehearse/rehearse.ts';
import { interruption, type Result } from './action.ts';
import { checklistFacts, planFacts, verifyFacts } from './facts.ts';
import { endOf, failuresJson, failureText } from './failures.ts';
import { type Output, wordFlag } from './flags.ts';
import { type BundleFlags, loadBundle, type OptionFlags, planning, syncOptions, wantedOf } from './inputs.ts';
import { onSite, type SiteCalling } from './on-site.ts';

interface Flags extends BundleFlags, Pick<OptionFlags, 'rosterGroup' | 'subjectNameSuffix'> {
  readonly checklist?: string;
  readonly output: Output;
}

/** What the check found when nothing differs: of the steps that it could look at, and "everything" only where patrols import with all that they have. */
const sameLines = ({ steps }: SyncPlan, unlisted: readonly string[] = [], verdict?: Verdict): string[] => {
  const seen = syncSteps.filter((step) => !steps[step]?.skipped);
  const hasAll = seen.length === syncSteps.length;
  const found = verdict ? effectsOf(verdict) : [];
  if (unlisted.length > 0) found.unshift(`Patrols cannot name all active members: ${unlisted.length} left.`);
  if (hasAll && found.length > 0) return ['The site has what a run writes.', ...found];
  const has = 'has everything that the bundle asks for';
  const where = `In these steps the site ${has}: ${seen.map((step) => stepNames[step]).join(', ')}.`;
  return [hasAll ? `The site ${has}.` : where, ...found];
};

const differLines = (differences: number): string[] => {
  const { code, message } = new RelayError('site_differs', { details: { differences } });
  return [`${message}.`, `Check: ${entryOf(code).check}`];
};

const verify = async ({ shell, site: opened, flags, file, note }: SiteCalling<Flags>): Promise<Result> => {
  const { disk } = shell.machine;
  const wanted = wantedOf(flags, file);
  const { path, word, isWordSet } = wanted;
  const site = opened.withWord(word);
  const { bundle, language } = await loadBundle(shell, wanted);
  const checklist = checklistPath(path, flags.checklist);
  await checkOutput(disk, checklist);
  await readChecklist(disk, checklist);
  const options = syncOptions(flags, language, word);
  const label = labelFor(bundle.manifest, language);
  const folder = folderOf(checklist);
  const prepared = await prepare({ ...planning(shell), site, bundle, label, options, folder, isWordSet });
  if (shell.interrupted().aborted) throw interruption();
  const { plan, failures, heldBack, warnings, desired, matches } = prepared;
  for (const warning of warnings) shell.err(printableText(`Warning: ${warning}`));
  const members = await attempt(() => site.patrolMembers());
  // Without a roster group nobody can be named, which the step says by itself.
  const unlisted =
    'value' in members && members.value !== null && !plan.steps.roster?.skipped
      ? unlistedMembers(new Set(members.value), desired.people.subjects, matches, plan.changes)
      : undefined;
  const read = asRead(site, prepared.state, members);
  const verdict = await verdictAfter(read, { bundle, desired, label, language, word });
  const { items, failure } = await writeChecklist({
    disk,
    path: checklist,
    bundle,
    label,
    options,
    site,
    dryRun: false,
    prepared,
    unlisted,
    failures,
    verdict,
    unfinished: interruptedRecord(prepared.beside),
  });
  if (failure) throw failure;
  const differences = plan.changes.length + heldBack.length;
  const same = differences === 0 && failures.size === 0;
  note({
    ...planFacts(plan),
    ...checklistFacts(checklist, items),
    ...verifyFacts(differences, failures),
    verdict: verdict?.sentence ?? null,
  });
  return {
    code: same ? 0 : 1,
    ...(same ? {} : { reason: endOf({ interrupted: false }, failures).reason ?? 'site_differs' }),
    lines: [
      ...items.map((item) => itemLine(shell, item)),
      '',
      ...(same ? sameLines(plan, unlisted, verdict) : describePlan(plan, shell.paint)),
      ...unseenLines(plan),
      ...heldBack.map((sentence) => printable(sentence)),
      ...(differences > 0 ? differLines(differences) : []),
      ...[...failures].map(([step, error]) => printable(failureText(step, error))),
      `Checklist: ${checklist}`,
      ...verdictLines(verdict),
    ],
    json: {
      differences,
      held_back: heldBack,
      skipped: skippedJson(plan),
      unlisted_members: unlisted ?? null,
      ...verdictJson(verdict),
      warnings,
      failures: failuresJson(failures),
      checklist: { path: checklist, open: openItems(items) },
    },
  };
};

/** `verify`: checks that the site has everything, and which items of the checklist are done. */
export const verifyCommand = (shell: SyncShell): Command => {
  const command = new Command('verify')
    .option('--bundle <dir>', 'folder of the bundle; config key bundle.path')
    .option('--ext-language <code>', 'language of the run')
    .option('--timezone <name>', 'timezone of the bundle; config key ext.timezone')
    .option('--roster-group <name>', 'subject group of the run')
    .option('--subject-name-suffix', 'as in the run')
    .option('--checklist <path>', 'where the checklist goes');
  return onSite<Flags>(shell, wordFlag(command), '\nExample:\n  $ sync-tool verify --config sync.yaml', verify);
};

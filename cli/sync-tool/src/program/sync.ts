import { resolve } from 'node:path';
import type { SyncPlan } from '@ranger-relay/contracts';
import { entryOf, isRelayError, RelayError } from '@ranger-relay/errors';
import { printable, printableText } from '@ranger-relay/terminal';
import { type Label, labelFor } from '../bundle/labels/label.ts';
import { type Checklist, openItems, readChecklist, writeChecklist } from '../checklist/write.ts';
import { type PlanInput, prepare, type Prepared } from '../plan/plan.ts';
import { asRead } from '../rehearse/facts.ts';
import { type Verdict, verdictAfter } from '../rehearse/rehearse.ts';
import { deactivationsRefused, defaultMaxDeactivations } from '../resources/subject.ts';
import { plannedSite } from '../run/dry-run-site.ts';
import { checkOutput, isPlanText, onDisk } from '../run/files.ts';
import { underLocks } from '../run/lock.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import { type RunResult, unfinishedAfter } from '../run/run.ts';
import type { Note } from '../summary/write.ts';
import { interruption, type Result } from './action.ts';
import { checklistFacts, planFacts, runFacts } from './facts.ts';
import { endOf, errorJson, type Failures, failureText, resumeHint } from './failures.ts';
import { planning, type RunFlags, siteLocks } from './inputs.ts';
import { type Refusal, runPlan } from './run-plan.ts';
import { itemLine, planJson, planLines } from './summary.ts';

/** Refuses to replace a file that is not a plan. @throws RelayError `output_not_writable` */
const checkPlanOut = async (disk: Disk, path: string): Promise<void> => {
  const stats = await disk.stat(path).catch(() => undefined);
  // What is no file, such as a pipe, has nothing to lose.
  const there = stats?.isFile() ? await disk.readFile(path, 'utf8').catch(() => '') : '';
  if (there.trim() !== '' && !isPlanText(there))
    throw new RelayError('output_not_writable', { details: { path, reason: 'it is there, and is no plan' } });
};

/** Writes a plan file for `apply`. @throws RelayError `output_not_writable` */
const writePlan = (disk: Disk, path: string, plan: SyncPlan): Promise<void> =>
  onDisk(path, () => disk.writeFile(path, `${JSON.stringify(plan, null, 2)}\n`));

/** The input of one run: the bundle is read and the site is open. */
interface SyncDependencies extends Pick<PlanInput, 'site' | 'bundle' | 'options' | 'folder' | 'isWordSet'> {
  readonly shell: SyncShell;
  readonly flags: RunFlags;
  /** Path of the checklist. */
  readonly checklist: string;
  readonly dryRun: boolean;
  readonly planOut?: string | undefined;
  readonly note: Note;
}

const refusalOf = ({ flags }: SyncDependencies, { plan, failures, ours }: Prepared): Refusal | undefined => {
  const roster = failures.get('roster');
  if (isRelayError(roster, 'roster_group_unknown', 'roster_group_ambiguous')) return { step: 'roster', error: roster };
  const subjects = failures.get('subjects');
  if (isRelayError(subjects, 'word_differs')) return { step: 'subjects', error: subjects };
  const error = deactivationsRefused(plan.changes, flags.maxDeactivations ?? defaultMaxDeactivations(ours));
  return error && { step: 'subjects', error };
};

/** The items where the file does not have them, and where the file is. */
const checklistLines = ({ shell, checklist }: SyncDependencies, { items, isStored, failure }: Checklist): string[] => {
  const left = items.filter(({ done }) => !done).length;
  if (isStored) return [`Checklist: ${checklist} (${left} open)`];
  const why = failure ? failure.message : `${checklist} is not that of a dry run and stays`;
  return [...items.map((item) => itemLine(shell, item)), '', printable(`${left} open; not written: ${why}`)];
};

const planOf = async (parts: SyncDependencies, label: Label): Promise<Prepared> => {
  const { shell, flags } = parts;
  const prepared = await prepare({
    ...parts,
    ...planning(shell),
    label,
    recreateMissing: flags.recreateMissing,
    onRead: (what, done, total) => shell.progress(`Reading ${what}: ${done}${total === null ? '' : `/${total}`}`),
  });
  shell.progress('');
  if (shell.interrupted().aborted) throw interruption();
  const { failures, warnings } = prepared;
  for (const warning of warnings) shell.err(printableText(`Warning: ${warning}`));
  for (const [step, error] of failures) shell.err(printable(failureText(step, error)));
  return prepared;
};

interface Ending {
  readonly refusal: Refusal | undefined;
  readonly ran: RunResult;
  readonly failed: Failures;
  readonly list: Checklist;
}

/**
 * Result of the call. If the run is refused before its first write, the result has the reason of the refusal; a dry run reports what the
 * run would.
 */
const endOfRun = (parts: SyncDependencies, { refusal, ran, failed, list }: Ending): Pick<Result, 'code' | 'reason'> => {
  const { shell, dryRun, note } = parts;
  if (refusal) {
    const { code, message } = refusal.error;
    shell.err(printable(`The run ${dryRun ? 'would write' : 'wrote'} nothing: ${message}`));
    shell.err(`Check: ${entryOf(code).check}`);
    note({ message });
    return { code: 1, reason: code };
  }
  const end = endOf(ran, failed);
  if (end.code !== 0 || !list.failure) return end;
  note({ message: list.failure.message });
  return { code: 1, reason: list.failure.code };
};

/** Whether the patrols would import; after a dry run, on the site as the run would leave it. */
const verdictOf = async (
  { site, bundle, options, dryRun }: SyncDependencies,
  prepared: Prepared,
  label: Label,
): Promise<Verdict | undefined> => {
  const { state, desired, plan } = prepared;
  const { changes } = plan;
  const { language, word } = options;
  const sources = { bundle, desired, label, language, word };
  if (changes.length > 0 && !dryRun) return verdictAfter(site, sources);
  const known = asRead(site, state);
  return verdictAfter(changes.length === 0 ? known : await plannedSite(known, changes, word), sources);
};

const runUnderLock = async (parts: SyncDependencies): Promise<Result> => {
  const { shell, site, flags, bundle, options, checklist, dryRun, planOut, note } = parts;
  const { disk } = shell.machine;
  const label = labelFor(bundle.manifest, options.language);
  const prepared = await planOf(parts, label);
  const { plan, failures, warnings, matches, beside } = prepared;
  if (planOut !== undefined) await writePlan(disk, planOut, plan);
  note(planFacts(plan, planOut));
  const refusal = refusalOf(parts, prepared);
  const sources = { checklist: resolve(checklist) };
  const ran = await runPlan({ ...parts, plan, matches, beside, sources, refusal });
  const failed: Failures = new Map([...failures, ...ran.failed]);
  const hint = resumeHint(shell, ran, flags);
  note(runFacts(ran, failed, hint, dryRun ? plan.changes.length : undefined));
  const isOver = refusal === undefined && !ran.interrupted && !shell.interrupted().aborted;
  const verdict = isOver ? await verdictOf(parts, prepared, label) : undefined;
  note({ verdict: verdict?.sentence ?? null });
  const list = await writeChecklist({
    disk,
    path: checklist,
    bundle,
    label,
    options,
    site,
    dryRun,
    prepared,
    failures: failed,
    verdict,
    unfinished: unfinishedAfter(ran, beside),
    failureText: (step, error) => failureText(step, error, ran.failures.get(step)),
  });
  note(checklistFacts(checklist, list.items));
  const ended = { plan, ran, failed, verdict, dryRun };
  return {
    ...endOfRun(parts, { refusal, ran, failed, list }),
    // The plan is formatted only for text output, because it may have thousands of changes.
    get lines() {
      return planLines(shell, ended, hint, checklistLines(parts, list));
    },
    json: {
      ...(refusal && errorJson(refusal.error)),
      ...planJson(ended),
      checklist: { path: checklist, open: openItems(list.items) },
      warnings: [...bundle.warnings.map(({ text }) => text), ...warnings],
    },
  };
};

/**
 * Plans the run and, unless it is a dry run, applies the plan; writes the checklist and the record. Takes the lock before reading the site:
 * otherwise it would repeat what a concurrent run writes.
 * @throws RelayError before the first write
 */
export const syncRun = async (parts: SyncDependencies): Promise<Result> => {
  const { shell, site, flags, folder, checklist, dryRun, planOut } = parts;
  if (planOut !== undefined) await checkPlanOut(shell.machine.disk, planOut);
  await checkOutput(shell.machine.disk, checklist);
  await readChecklist(shell.machine.disk, checklist);
  const locks = dryRun ? [] : await siteLocks(shell, site, flags, [folder]);
  return underLocks(locks, () => runUnderLock(parts));
};

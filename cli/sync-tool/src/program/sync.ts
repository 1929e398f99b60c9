import { basename, resolve } from 'node:path';
import type { SyncPlan, SyncStep } from '@ranger-relay/contracts';
import { entryOf, isRelayError, RelayError } from '@ranger-relay/errors';
import { printable, printableText } from '@ranger-relay/terminal';
import { type Label, labelFor } from '../bundle/labels/label.ts';
import { type Checklist, openItems, readChecklist, writeChecklist } from '../checklist/write.ts';
import { deactivationLines, describePlan } from '../plan/describe.ts';
import { freeCourse } from '../resources/index.ts';
import { plannedSite } from '../run/dry-run-site.ts';
import { asRead } from '../rehearse/facts.ts';
import { areNeedsRecorded } from '../run/known-records.ts';
import { checkOutput, folderOf, isPlanText, onDisk } from '../run/files.ts';
import { underLocks } from '../run/lock.ts';
import type { Disk } from '../run/machine.ts';
import type { Prepared } from '../plan/plan.ts';
import { optionsIn } from '../plan/state.ts';
import { allFailures, carryOut, type Earlier, nothingRan, type Ran } from '../run/run.ts';
import { plannedTally, untriedTally } from '../run/tally.ts';
import { type Verdict, verdictAfter, verdictJson } from '../rehearse/rehearse.ts';
import type { Note } from '../summary/write.ts';
import { interruption, type Result } from './action.ts';
import { checklistFacts, interruptedFacts, planFacts, runFacts } from './facts.ts';
import { endOf, errorJson, type Failures, failuresJson, failureText, goOnLines, resumeHint } from './failures.ts';
import { endSignal, siteLocks, type SiteFlags } from './inputs.ts';
import { type PlanInput, readAndPlan } from './read-and-plan.ts';
import { itemLine, showProgress, summaryJson, summaryLines, verdictLines, verdictSources } from './summary.ts';
import { deactivationsRefused, defaultMaxDeactivations } from '../resources/subject.ts';

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
interface SyncDependencies extends PlanInput {
  /** Flags that connect to the site, repeated in the suggested follow-up call. */
  readonly flags: SiteFlags;
  readonly dryRun: boolean;
  readonly planOut?: string | undefined;
  readonly maxDeactivations?: number | undefined;
  readonly waitForLock?: boolean | undefined;
  readonly note: Note;
  /** The earlier part of the run, when it is resumed; the caller holds the lock and signals its loss. */
  readonly earlier?: (Earlier & { readonly lost: AbortSignal }) | undefined;
}

const limitOf = ({ maxDeactivations }: SyncDependencies, { planned }: Prepared): number =>
  maxDeactivations ?? defaultMaxDeactivations(planned.ours);

/** Why the run must not write anything, and the step that would. */
interface Refusal {
  readonly step: SyncStep;
  readonly error: RelayError;
}

const refusalOf = (parts: SyncDependencies, prepared: Prepared): Refusal | undefined => {
  const { plan, failures } = prepared.planned;
  const roster = failures.get('roster');
  if (isRelayError(roster, 'roster_group_unknown', 'roster_group_ambiguous')) return { step: 'roster', error: roster };
  const subjects = failures.get('subjects');
  if (isRelayError(subjects, 'word_differs')) return { step: 'subjects', error: subjects };
  const error = deactivationsRefused(plan.changes, limitOf(parts, prepared));
  return error && { step: 'subjects', error };
};

const run = async (
  parts: SyncDependencies,
  prepared: Prepared,
  refusal: Refusal | undefined,
  lost: AbortSignal,
): Promise<Ran> => {
  const { shell, site, options, dryRun, earlier, checklist, note } = parts;
  const { desired, beside, planned } = prepared;
  const { plan, matches, failures } = planned;
  const refused = refusal && new Map([[refusal.step, refusal.error]]);
  if (dryRun) return nothingRan(plannedTally(plan), refused);
  if (refused) return nothingRan(untriedTally(plan), refused);
  const isRecorded = areNeedsRecorded(beside, plan.needs);
  if (plan.changes.length === 0 && isRecorded && !earlier) return nothingRan(plannedTally(plan));
  const maxDeactivations = limitOf(parts, prepared);
  const [area, siteOptions] = [plan.conservation_area, optionsIn(prepared.state)];
  const course = freeCourse({ desired, area, options, siteOptions, beside, maxDeactivations });
  const [folder, signal] = [folderOf(checklist), endSignal(shell, lost)];
  const listener = { ...showProgress(shell), onRecord: (path: string) => note({ record: basename(path) }) };
  const sources = { checklist: resolve(checklist) };
  return carryOut(
    { site, disk: shell.machine.disk, folder, clock: shell.clock, listener, signal, course },
    { plan, matches, unplanned: failures, earlier, sources, isRecorded },
  );
};

/** The items where the file does not have them, and where the file is. */
const checklistLines = ({ shell, checklist }: SyncDependencies, { items, isStored, failure }: Checklist): string[] => {
  const left = items.filter(({ done }) => !done).length;
  if (isStored) return [`Checklist: ${checklist} (${left} open)`];
  const why = failure ? failure.message : `${checklist} is not that of a dry run and stays`;
  return [...items.map((item) => itemLine(shell, item)), '', printable(`${left} open; not written: ${why}`)];
};

const linesOf = (
  parts: SyncDependencies,
  plan: SyncPlan,
  ran: Ran,
  { list, failed, verdict }: Pick<Ending, 'list' | 'failed' | 'verdict'>,
): string[] => {
  const { shell, dryRun, flags } = parts;
  return [
    ...(dryRun ? [...describePlan(plan, shell.paint), ''] : deactivationLines(plan.changes, shell.paint)),
    ...summaryLines(plan, ran.tally, { paint: shell.paint, dryRun }),
    '',
    ...checklistLines(parts, list),
    ...(ran.record === null ? [] : [`Run record: ${ran.record}`]),
    ...(dryRun ? ['Nothing was written to the site.'] : []),
    ...(ran.record === null ? [] : goOnLines(ran, failed, resumeHint(shell, ran.record, flags))),
    ...verdictLines(verdict, dryRun && plan.changes.length > 0),
  ];
};

const planOf = async (parts: SyncDependencies, label: Label): Promise<Prepared> => {
  const { shell, flags, earlier } = parts;
  const prepared = await readAndPlan(parts, label, (what, done, total) =>
    shell.progress(`Reading ${what}: ${done}${total === null ? '' : `/${total}`}`),
  );
  shell.progress('');
  if (!shell.interrupted().aborted) return prepared;
  throw interruption(
    earlier && `nothing more was written; finish it: ${resumeHint(shell, earlier.files.record, flags)}`,
  );
};

interface Ending {
  readonly prepared: Prepared;
  readonly refusal: Refusal | undefined;
  readonly ran: Ran;
  readonly failed: Failures;
  readonly list: Checklist;
  readonly verdict: Verdict | undefined;
}

const jsonOf = (parts: SyncDependencies, { prepared, refusal, ran, failed, list, verdict }: Ending): object => {
  const { bundle, checklist, dryRun } = parts;
  const { plan, warnings } = prepared.planned;
  return {
    ...(refusal && errorJson(refusal.error)),
    dry_run: dryRun,
    plan_hash: plan.hash,
    ...summaryJson(plan, ran.tally),
    failures: failuresJson(failed, ran.failures),
    checklist: { path: checklist, open: openItems(list.items) },
    record: ran.record,
    ...verdictJson(verdict),
    warnings: [...bundle.warnings.map(({ text }) => text), ...warnings, ...ran.overtaken],
  };
};

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
  const { code, reason } = endOf(ran, failed);
  if (code !== 0 || !list.failure) return { code, ...reason };
  note({ message: list.failure.message });
  return { code: 1, reason: list.failure.code };
};

/** Whether the patrols would import; after a dry run, on the site as the run would leave it. */
const verdictOf = async (parts: SyncDependencies, prepared: Prepared, label: Label): Promise<Verdict | undefined> => {
  const { site, bundle, options, dryRun, earlier } = parts;
  const { state, planned } = prepared;
  const { changes } = planned.plan;
  const sources = verdictSources(prepared, bundle, label, options);
  if (changes.length === 0 && !earlier) return verdictAfter(site, sources, state);
  if (!dryRun) return verdictAfter(site, sources);
  return verdictAfter(await plannedSite(asRead(site, state), changes, options.word), sources);
};

const lockedRun = async (parts: SyncDependencies, lost: AbortSignal): Promise<Result> => {
  const { shell, site, flags, bundle, options, checklist, dryRun, planOut, note } = parts;
  const label = labelFor(bundle.manifest, options.language);
  const prepared = await planOf(parts, label);
  const { plan, failures, warnings } = prepared.planned;
  for (const warning of warnings) shell.err(printableText(`Warning: ${warning}`));
  for (const [step, error] of failures) shell.err(printable(failureText(step, error)));
  note(planFacts(plan));
  if (planOut !== undefined) {
    await writePlan(shell.machine.disk, planOut, plan);
    note(planFacts(plan, planOut));
  }
  const refusal = refusalOf(parts, prepared);
  const ran = await run(parts, prepared, refusal, lost);
  for (const warning of ran.overtaken) shell.err(printableText(`Warning: ${warning}`));
  const failed = allFailures(failures, ran.failed);
  note(runFacts(ran, failed, dryRun ? plan.changes.length : undefined));
  if (ran.interrupted && ran.record !== null) note(interruptedFacts(resumeHint(shell, ran.record, flags)));
  const isOver = refusal === undefined && !ran.interrupted && !shell.interrupted().aborted;
  const verdict = isOver ? await verdictOf(parts, prepared, label) : undefined;
  note({ verdict: verdict?.sentence ?? null });
  const list = await writeChecklist({
    disk: shell.machine.disk,
    path: checklist,
    bundle,
    label,
    options,
    site,
    dryRun,
    prepared,
    failures: failed,
    verdict,
    failureText: (step, error) => failureText(step, error, ran.failures.get(step)),
  });
  note(checklistFacts(checklist, list.items));
  const ending = { prepared, refusal, ran, failed, list, verdict };
  return {
    ...endOfRun(parts, ending),
    // The plan is formatted only for text output, because it may have thousands of changes.
    get lines() {
      return linesOf(parts, plan, ran, { list, failed, verdict });
    },
    json: jsonOf(parts, ending),
  };
};

/**
 * Plans the run and, unless it is a dry run, carries it out; writes the checklist and the record. Takes the lock before reading the site:
 * otherwise it would repeat what a concurrent run writes.
 * @throws RelayError before the first write
 */
export const syncRun = async (parts: SyncDependencies): Promise<Result> => {
  const { shell, site, checklist, dryRun, earlier, planOut } = parts;
  if (planOut !== undefined) await checkPlanOut(shell.machine.disk, planOut);
  await checkOutput(shell.machine.disk, checklist);
  await readChecklist(shell.machine.disk, checklist);
  if (earlier) return lockedRun(parts, earlier.lost);
  const locks = await siteLocks({ shell, site, folders: [folderOf(checklist)], patient: parts.waitForLock });
  return underLocks(dryRun ? [] : locks, (lost) => lockedRun(parts, lost));
};

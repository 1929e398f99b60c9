import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { SyncOptions, SyncPlan } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { printable, type Shell } from '@ranger-relay/terminal';
import { type Label, labelFor } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';
import type { Item } from '../checklist/items.ts';
import { openItems, writeChecklist } from '../checklist/write.ts';
import { describePlan } from '../plan/describe.ts';
import { freeCourse } from '../run/course.ts';
import { checkOutput, folderOf } from '../run/files.ts';
import { readKnownRecords } from '../run/known-records.ts';
import { underLocks } from '../run/lock.ts';
import { prepare, type Prepared } from '../run/prepare.ts';
import { allFailures, carryOut, type Earlier, type Ran } from '../run/run.ts';
import { deactivationsRefused, defaultMaxDeactivations, plannedTally, type Tally, untriedTally } from '../run/tally.ts';
import type { Note } from '../summary/write.ts';
import { interruption, type Result } from './action.ts';
import { checklistFacts, interruptedFacts, planFacts, runFacts } from './facts.ts';
import { endOf, type Failures, failuresJson, failureText, resumeHint } from './failures.ts';
import { endSignal, siteLocks } from './lock-of.ts';
import { showProgress } from './progress.ts';
import { type SiteFlags, version } from './settings.ts';
import { summaryJson, summaryLines } from './summary.ts';

/** Writes a plan for `apply`. @throws RelayError `output_not_writable` */
const writePlan = async (path: string, plan: SyncPlan): Promise<void> => {
  try {
    await writeFile(path, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (error) {
    throw new RelayError('output_not_writable', { details: { path, reason: (error as Error).message }, cause: error });
  }
};

/** One run, from a bundle that was read and a site that is open. */
interface SyncDependencies {
  readonly shell: Shell;
  readonly site: Site;
  /** How the site was reached, for the call that goes on. */
  readonly flags: SiteFlags;
  readonly bundle: Bundle;
  readonly options: SyncOptions;
  readonly checklist: string;
  readonly dryRun: boolean;
  readonly planOut?: string | undefined;
  readonly maxDeactivations?: number | undefined;
  readonly recreateMissing?: boolean | undefined;
  readonly waitForLock?: boolean | undefined;
  readonly note: Note;
  /** What an earlier part of the run left; whoever gives it holds the lock, and says when it is lost. */
  readonly earlier?: (Earlier & { readonly lost: AbortSignal }) | undefined;
}

/** Nothing was written: a dry run, or a plan without changes. */
const nothingRan = (tally: Tally): Ran => ({ tally, failed: new Map(), interrupted: false, record: null });

const limitOf = ({ maxDeactivations }: SyncDependencies, { planned }: Prepared): number =>
  maxDeactivations ?? defaultMaxDeactivations(planned.ours);

/** What keeps the run from writing anything. */
const refusalOf = (parts: SyncDependencies, prepared: Prepared): RelayError | undefined => {
  const { plan, failures } = prepared.planned;
  const roster = failures.get('roster');
  if (isRelayError(roster, 'roster_group_unknown')) return roster;
  return deactivationsRefused(plan.changes, limitOf(parts, prepared));
};

const run = async (parts: SyncDependencies, prepared: Prepared, lost: AbortSignal): Promise<Ran> => {
  const { shell, site, options, dryRun, earlier, checklist, note } = parts;
  const { desired, beside, planned } = prepared;
  const { plan, matches, failures } = planned;
  if (dryRun) return nothingRan(plannedTally(plan));
  const refusal = refusalOf(parts, prepared);
  if (isRelayError(refusal, 'too_many_deactivations')) throw refusal;
  if (refusal) return nothingRan(untriedTally(plan));
  if (plan.changes.length === 0 && !earlier) return nothingRan(plannedTally(plan));
  const maxDeactivations = limitOf(parts, prepared);
  const course = freeCourse({ desired, area: plan.conservation_area, options, beside, maxDeactivations });
  const [folder, signal] = [folderOf(checklist), endSignal(shell, lost)];
  const listener = { ...showProgress(shell), onRecord: (path: string) => note({ record: basename(path) }) };
  const sources = { checklist: resolve(checklist) };
  return carryOut(
    { site, folder, clock: shell.clock, listener, signal, course },
    { plan, matches, unplanned: failures, earlier, sources },
  );
};

/** What to do about a run that did not come to its end. */
const goOnLines = ({ flags }: SyncDependencies, { interrupted, record }: Ran, failed: Failures): string[] => {
  if (record === null) return [];
  if (interrupted) return [`Interrupted. Finish it: ${resumeHint(record, flags)}`];
  return failed.size === 0 ? [] : [`Finish it, once the cause is fixed: ${resumeHint(record, flags)}`];
};

const linesOf = (
  parts: SyncDependencies,
  plan: SyncPlan,
  ran: Ran,
  { items, failed }: { readonly items: readonly Item[]; readonly failed: Failures },
): string[] => {
  const { shell, dryRun, checklist } = parts;
  const left = items.filter(({ done }) => !done).length;
  return [
    ...(dryRun ? [...describePlan(plan, shell.paint), ''] : []),
    ...summaryLines(plan, ran.tally, { paint: shell.paint, dryRun }),
    '',
    `Checklist: ${checklist} (${left} open)`,
    ...(ran.record === null ? [] : [`Run record: ${ran.record}`]),
    ...(dryRun ? ['Nothing was written to the site.'] : []),
    ...goOnLines(parts, ran, failed),
  ];
};

const readAndPlan = async (parts: SyncDependencies, label: Label): Promise<Prepared> => {
  const { shell, site, flags, bundle, options, checklist, recreateMissing, earlier } = parts;
  const now = new Date(shell.clock.now()).toISOString();
  const prepared = await prepare({
    bundle,
    label,
    options,
    site,
    tool: `sync-tool ${version}`,
    now,
    known: await readKnownRecords(folderOf(checklist), site.identity, bundle.manifest.area.uuid),
    recreateMissing,
    onRead: (what, done, total) => shell.progress(`Reading ${what}: ${done}${total === null ? '' : `/${total}`}`),
  });
  shell.progress('');
  if (!shell.interrupted().aborted) return prepared;
  throw interruption(earlier && `nothing more was written; finish it: ${resumeHint(earlier.files.record, flags)}`);
};

const jsonOf = (
  parts: SyncDependencies,
  prepared: Prepared,
  ran: Ran,
  failed: Failures,
  items: readonly Item[],
): object => {
  const { bundle, checklist, dryRun } = parts;
  const { plan, warnings } = prepared.planned;
  return {
    dry_run: dryRun,
    plan_hash: plan.hash,
    ...summaryJson(plan, ran.tally),
    failures: failuresJson(failed),
    checklist: { path: checklist, open: openItems(items) },
    record: ran.record,
    warnings: [...bundle.warnings.map(({ text }) => text), ...warnings],
  };
};

/** How the call ends; one that is refused before its first write says so, and a dry run as the run would. */
const endOfRun = (
  parts: SyncDependencies,
  prepared: Prepared,
  ran: Ran,
  failed: Failures,
): Pick<Result, 'code' | 'reason'> => {
  const refusal = refusalOf(parts, prepared);
  if (!refusal) {
    const { code, reason } = endOf(ran, failed);
    return { code, ...reason };
  }
  const does = parts.dryRun ? 'would write' : 'wrote';
  parts.shell.err(printable(`The run ${does} nothing: ${refusal.message}`));
  parts.note({ message: refusal.message });
  return { code: 1, reason: refusal.code };
};

const lockedRun = async (parts: SyncDependencies, lost: AbortSignal): Promise<Result> => {
  const { shell, site, flags, bundle, options, checklist, dryRun, planOut, note } = parts;
  const label = labelFor(bundle.manifest.languages, options.language);
  const prepared = await readAndPlan(parts, label);
  const { plan, failures, warnings } = prepared.planned;
  for (const warning of warnings) shell.err(printable(`Warning: ${warning}`));
  for (const [step, error] of failures) shell.err(printable(failureText(step, error)));
  note(planFacts(plan));
  if (planOut !== undefined) {
    await writePlan(planOut, plan);
    note(planFacts(plan, planOut));
  }
  const ran = await run(parts, prepared, lost);
  const failed = allFailures(failures, ran.failed);
  note(runFacts(ran, failed, dryRun ? plan.changes.length : undefined));
  if (ran.interrupted && ran.record !== null) note(interruptedFacts(resumeHint(ran.record, flags)));
  const items = await writeChecklist({
    path: checklist,
    bundle,
    label,
    options,
    site,
    dryRun,
    prepared,
    failures: failed,
    failureText,
  });
  note(checklistFacts(checklist, items));
  return {
    ...endOfRun(parts, prepared, ran, failed),
    // A plan of thousands of changes is only put into words when somebody reads them.
    get lines() {
      return linesOf(parts, plan, ran, { items, failed });
    },
    json: jsonOf(parts, prepared, ran, failed, items),
  };
};

/**
 * Plans and, unless it is a dry run, carries out; writes checklist and record. The lock is held from before the site is read: what another
 * run writes meanwhile would be written again.
 * @throws RelayError before the first write
 */
export const syncRun = async (parts: SyncDependencies): Promise<Result> => {
  const { shell, site, checklist, dryRun, earlier } = parts;
  await checkOutput(checklist);
  if (earlier) return lockedRun(parts, earlier.lost);
  const locks = await siteLocks({ shell, site, folders: [folderOf(checklist)], patient: parts.waitForLock });
  return underLocks(dryRun ? [] : locks, (lost) => lockedRun(parts, lost));
};

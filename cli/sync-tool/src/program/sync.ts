import { basename } from 'node:path';
import type { SyncOptions, SyncPlan } from '@ranger-relay/contracts';
import { printable, type Shell } from '@ranger-relay/terminal';
import type { Site } from '@ranger-relay/site';
import { labelFor } from '../bundle/labels/label-for.ts';
import type { Bundle } from '../bundle/model.ts';
import type { Item } from '../checklist/items.ts';
import { openItems, writeChecklist } from '../checklist/write.ts';
import type { Label } from '../desired/labels.ts';
import { describePlan } from '../plan/describe.ts';
import { checkOutput, folderOf } from '../run/files.ts';
import { underLocks } from '../run/lock.ts';
import { prepare, type Prepared } from '../run/prepare.ts';
import { freeCourse } from '../run/course.ts';
import { defaultMaxDeactivations, guardDeactivations } from '../run/guard.ts';
import { allFailures, carryOut, type Earlier, type Ran } from '../run/run.ts';
import { plannedTally, type Tally } from '../run/tally.ts';
import type { Note } from '../summary/write.ts';
import { version } from './about.ts';
import { interruption, type Result } from './action.ts';
import { endOf, failuresJson, failureText, type Failures } from './failures.ts';
import { checklistFacts, interruptedFacts, planFacts, runFacts } from './facts.ts';
import { endSignal, siteLocks } from './lock-of.ts';
import { writePlan } from './plan-out.ts';
import { showProgress } from './progress.ts';
import { summaryJson, summaryLines } from './summary.ts';

/** One run, from a bundle that was read and a site that is open. */
export interface SyncParts {
  readonly shell: Shell;
  readonly site: Site;
  readonly bundle: Bundle;
  readonly options: SyncOptions;
  readonly checklist: string;
  readonly dryRun: boolean;
  readonly planOut?: string | undefined;
  readonly maxDeactivations?: number | undefined;
  readonly waitForLock?: boolean | undefined;
  readonly note: Note;
  /** What an earlier part of the run left; whoever gives it holds the lock, and says when it is lost. */
  readonly earlier?: (Earlier & { readonly lost: AbortSignal }) | undefined;
}

/** Nothing was written: a dry run, or a plan without changes. */
const nothingRan = (tally: Tally): Ran => ({ tally, failed: new Map(), interrupted: false, record: null });

const resumeCall = (record: string): string => `sync-tool resume ${record}`;

const run = async (parts: SyncParts, { desired, planned }: Prepared, lost: AbortSignal): Promise<Ran> => {
  const { shell, site, options, dryRun, maxDeactivations, earlier, checklist, note } = parts;
  const { plan, ours, matches, failures } = planned;
  if (dryRun) return nothingRan(plannedTally(plan));
  const limit = maxDeactivations ?? defaultMaxDeactivations(ours);
  guardDeactivations(plan.changes, limit);
  if (plan.changes.length === 0 && !earlier) return nothingRan(plannedTally(plan));
  const course = freeCourse({ desired, area: plan.conservation_area, options, maxDeactivations: limit });
  const [folder, signal] = [folderOf(checklist), endSignal(shell, lost)];
  const listener = { ...showProgress(shell), onRecord: (path: string) => note({ record: basename(path) }) };
  return carryOut(
    { site, folder, clock: shell.clock, listener, signal, course },
    { plan, matches, unplanned: failures, earlier },
  );
};

const linesOf = (parts: SyncParts, plan: SyncPlan, ran: Ran, items: readonly Item[]): string[] => {
  const { shell, dryRun, checklist } = parts;
  const left = items.filter(({ done }) => !done).length;
  return [
    ...(dryRun ? [...describePlan(plan, shell.paint), ''] : []),
    ...summaryLines(plan, ran.tally, shell.paint),
    '',
    `Checklist: ${checklist} (${left} open)`,
    ...(ran.record === null ? [] : [`Run record: ${ran.record}`]),
    ...(dryRun ? ['Nothing was written.'] : []),
    ...(ran.interrupted && ran.record !== null ? [`Interrupted. Finish it: ${resumeCall(ran.record)}`] : []),
  ];
};

const readAndPlan = async (parts: SyncParts, label: Label): Promise<Prepared> => {
  const { shell, site, bundle, options, earlier } = parts;
  const now = new Date(shell.clock.now()).toISOString();
  const prepared = await prepare({
    bundle,
    label,
    options,
    site,
    tool: `sync-tool ${version}`,
    now,
    onRead: (what, done, total) => shell.progress(`Reading ${what}: ${done}${total === null ? '' : `/${total}`}`),
  });
  shell.progress('');
  if (!shell.interrupted().aborted) return prepared;
  throw interruption(earlier && `nothing more was written; finish it: ${resumeCall(earlier.files.record)}`);
};

const jsonOf = (parts: SyncParts, prepared: Prepared, ran: Ran, failed: Failures, items: readonly Item[]): object => {
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

const lockedRun = async (parts: SyncParts, lost: AbortSignal): Promise<Result> => {
  const { shell, site, bundle, options, checklist, dryRun, planOut, note } = parts;
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
  if (ran.interrupted && ran.record !== null) note(interruptedFacts(resumeCall(ran.record)));
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
  const { code, reason } = endOf(ran, failed);
  return {
    code,
    ...reason,
    // A plan of thousands of changes is only put into words when somebody reads them.
    get lines() {
      return linesOf(parts, plan, ran, items);
    },
    json: jsonOf(parts, prepared, ran, failed, items),
  };
};

/**
 * Plans and, unless it is a dry run, carries out; writes checklist and record. The lock is held from before the site is read: what another
 * run writes meanwhile would be written again.
 * @throws RelayError before the first write
 */
export const syncRun = async (parts: SyncParts): Promise<Result> => {
  const { shell, site, checklist, dryRun, earlier } = parts;
  await checkOutput(checklist);
  if (earlier) return lockedRun(parts, earlier.lost);
  const locks = await siteLocks({ shell, site, folders: [folderOf(checklist)], patient: parts.waitForLock });
  return underLocks(dryRun ? [] : locks, (lost) => lockedRun(parts, lost));
};

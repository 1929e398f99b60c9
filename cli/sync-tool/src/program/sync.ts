import { hostname } from 'node:os';
import { writeFile } from 'node:fs/promises';
import type { SyncOptions, SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { printable, type Shell } from '@ranger-relay/terminal';
import type { Site } from '@ranger-relay/site';
import { labelFor } from '../bundle/labels/label-for.ts';
import type { Bundle } from '../bundle/model.ts';
import type { Item } from '../checklist/items.ts';
import { openItems, writeChecklist } from '../checklist/write.ts';
import { planForm } from '../plan/form.ts';
import { describePlan } from '../plan/describe.ts';
import { checkOutput, folderOf } from '../run/files.ts';
import { prepare, type Prepared } from '../run/prepare.ts';
import {
  allFailures,
  carryOut,
  defaultMaxDeactivations,
  guardDeactivations,
  type Earlier,
  type Ran,
} from '../run/run.ts';
import { plannedTally, type Tally } from '../run/tally.ts';
import { version } from './about.ts';
import type { Result } from './action.ts';
import { showProgress, stepNames } from './progress.ts';
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
  readonly earlier?: Earlier | undefined;
}

const tool = `sync-tool ${version}`;

/** Nothing was written: a dry run, or a plan without changes. */
const nothingRan = (tally: Tally): Ran => ({ tally, failed: new Map(), interrupted: false, record: null });

const run = async (parts: SyncParts, { desired, planned }: Prepared): Promise<Ran> => {
  const { shell, site, options, dryRun, maxDeactivations, earlier, checklist } = parts;
  const { plan, ours, matches } = planned;
  if (dryRun) return nothingRan(plannedTally(plan));
  guardDeactivations(plan, maxDeactivations ?? defaultMaxDeactivations(ours));
  if (plan.changes.length === 0 && !earlier) return nothingRan(plannedTally(plan));
  const { clock, random } = shell;
  const again = (stored: Parameters<typeof planForm>[0]): ReturnType<typeof planForm> => {
    const form = planForm(stored, desired.fields, options.replace_segment_schema);
    const [fault] = form.faultsBrought;
    if (fault) throw new RelayError('form_invalid', { details: { reason: fault.text, path: fault.path } });
    return form;
  };
  return carryOut(
    {
      site,
      folder: folderOf(checklist),
      clock,
      random,
      listener: showProgress(shell),
      signal: shell.interrupted(),
      holder: `${hostname()}:${process.pid}`,
      again,
    },
    plan,
    matches,
    earlier,
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
    ...(ran.interrupted && ran.record !== null ? [`Interrupted. Finish it: sync-tool resume ${ran.record}`] : []),
  ];
};

const codeOf = (ran: Ran, failed: number): Result['code'] => {
  if (ran.interrupted) return 130;
  return failed > 0 ? 1 : 0;
};

/** Plans and, unless it is a dry run, carries out; writes checklist and record. @throws RelayError before the first write */
export const syncRun = async (parts: SyncParts): Promise<Result> => {
  const { shell, site, bundle, options, checklist, dryRun, planOut } = parts;
  await checkOutput(checklist);
  const label = labelFor(bundle.manifest.languages, options.language);
  const prepared = await prepare({
    bundle,
    label,
    options,
    site,
    tool,
    now: new Date(shell.clock.now()).toISOString(),
    onRead: (what, done, total) => shell.progress(`Reading ${what}: ${done}${total === null ? '' : `/${total}`}`),
  });
  shell.progress('');
  const { plan, failures, warnings } = prepared.planned;
  for (const warning of warnings) shell.err(printable(`Warning: ${warning}`));
  if (planOut !== undefined) await writeFile(planOut, `${JSON.stringify(plan, null, 2)}\n`);
  const ran = await run(parts, prepared);
  const failed = allFailures(failures, ran.failed);
  for (const [step, { message }] of failures) shell.err(printable(`${stepNames[step]}: ${message}`));
  const items = await writeChecklist({
    path: checklist,
    bundle,
    label,
    options,
    site,
    dryRun,
    prepared,
    failures: failed,
    stepNames,
  });
  const code = codeOf(ran, failed.size);
  return {
    code,
    lines: linesOf(parts, plan, ran, items),
    json: {
      ...(code === 0 ? {} : { reason: code === 130 ? 'interrupted' : 'step_failed' }),
      dry_run: dryRun,
      plan_hash: plan.hash,
      ...summaryJson(plan, ran.tally),
      failures: [...failed].map(([step, error]) => ({ step, reason: error.code, message: error.message })),
      checklist: { path: checklist, open: openItems(items) },
      record: ran.record,
      warnings: [...bundle.warnings.map(({ text }) => text), ...warnings],
    },
  };
};

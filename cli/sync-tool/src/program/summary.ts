import { alignColumns, humanSpan, type Paint, plural, printable, type Shell } from '@ranger-relay/terminal';
import { type PlannedChange, type SyncPlan, syncSteps } from '@ranger-relay/contracts';
import type { Item } from '../checklist/items.ts';
import { isBlocked, type Verdict, verdictJson } from '../rehearse/rehearse.ts';
import type { RunListener, RunResult } from '../run/run.ts';
import { type Failures, failuresJson, failureText, goOnLines } from './failures.ts';
import type { Tally } from '../run/tally.ts';
import { resourceOf, skipOf, stepNames } from '../resources/index.ts';
import { describeUpdate, quoted } from '../resources/object.ts';
import { isDeactivation } from '../resources/subject.ts';

const reasons = {
  login: 'a login that never went on a patrol',
  not_planned: 'neither employed nor on a patrol',
  not_in_bundle: 'no longer in the bundle',
  duplicate: 'another subject stands for the same employee',
  other_word: 'in the bundle, but found under another word than that of this run',
} as const;

/** Names the people whom a plan makes inactive, with the reason; no line where there are none. */
const deactivationLines = (changes: readonly PlannedChange[], paint: Paint): string[] => {
  const leaving = changes.filter(isDeactivation);
  if (leaving.length === 0) return [];
  const lines = leaving.map((change) => {
    const { additional, name } = change.before;
    const more = additional === undefined && name === undefined ? '' : `; ${describeUpdate(change)}`;
    const reason = change.reason ? reasons[change.reason] : 'inactive in the bundle';
    return `${paint.red('-')} subject ${quoted(change.name)}: ${reason}${more}`;
  });
  return [`People to deactivate (${leaving.length}):`, ...lines, ''];
};

/** Formats a plan as a readable diff; deactivated people are listed separately, with the reason. */
export const describePlan = ({ changes, steps, logins_left_out, hash }: SyncPlan, paint: Paint): string[] => {
  const unchanged = Object.values(steps).reduce((sum, step) => sum + step.unchanged, 0);
  return [
    ...changes
      .filter((change) => !isDeactivation(change))
      .flatMap((change) => resourceOf(change).describe(change, paint)),
    '',
    ...deactivationLines(changes, paint),
    `${plural(changes.length, 'write')}, ${unchanged} unchanged, ${plural(logins_left_out, 'login')} left out. Plan ${hash}`,
  ];
};

const width = 24;
const nameWidth = 1 + Math.max(...Object.values(stepNames).map(({ length }) => length));

const bar = (done: number, total: number): string => {
  const full = total === 0 ? width : Math.round((done / total) * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
};

/** Shows the progress of a run: one bar per step on a terminal, otherwise one line per step; each reason of failures has its own line. */
export const showProgress = (shell: Shell): RunListener => {
  const { clock } = shell;
  let [name, done, total, since] = ['', 0, 0, 0];
  const draw = (): void => {
    const left = done === 0 ? '' : `, ${humanSpan(((clock.monotonic() - since) / done / 1000) * (total - done))} left`;
    shell.progress(`${name.padEnd(nameWidth)} ${bar(done, total)} ${done}/${total}${left}`);
  };
  return {
    onStep(step, count) {
      [name, done, total, since] = [stepNames[step], 0, count, clock.monotonic()];
      if (shell.interactive) draw();
      else shell.err(`${name}: ${count} to write`);
    },
    onTried() {
      done += 1;
      draw();
    },
    onFailed(step, failure) {
      shell.err(printable(failureText(step, failure.error, [failure])));
    },
  };
};

/** Formats an item of the checklist. */
export const itemLine = ({ paint }: Pick<Shell, 'paint'>, { done, visible, text }: Item): string => {
  const box = done ? paint.green('[x]') : '[ ]';
  return `${box} ${printable(text)}${done || visible ? '' : paint.dim(' (cannot be seen from outside)')}`;
};

const columns = ['created', 'updated', 'unchanged', 'deactivated', 'failed', 'not_tried'] as const;

const headings = { ...Object.fromEntries(columns.map((column) => [column, column])), not_tried: 'not tried' };
/** Columns of a plan, which has no failed and no untried changes. */
const plannedHeadings = {
  created: 'to create',
  updated: 'to update',
  unchanged: 'unchanged',
  deactivated: 'to deactivate',
};

const skippedText = (skipped: string | null | undefined): string =>
  skipped ? `not carried out: ${skipOf(skipped)?.reason ?? 'it failed, as said above'}` : '';

/** The steps that a check of the site could not look at, each with the reason and what to do; a line each. */
export const unseenLines = ({ steps }: Pick<SyncPlan, 'steps'>): string[] =>
  syncSteps.flatMap((step) => {
    const skip = skipOf(steps[step]?.skipped);
    return skip ? [`${stepNames[step]}: not looked at, because ${skip.reason}. ${skip.remedy}.`] : [];
  });

/** Codes of the skipped steps as JSON data. */
export const skippedJson = ({ steps }: Pick<SyncPlan, 'steps'>): object =>
  Object.fromEntries(
    syncSteps.flatMap((step) => {
      const skipped = steps[step]?.skipped;
      return skipped ? [[step, skipped]] : [];
    }),
  );

/** How many subjects a plan adds to the roster group. */
const joiningIn = ({ changes }: SyncPlan): number =>
  changes.reduce((sum, change) => sum + (change.kind === 'roster' ? change.subjects.length : 0), 0);

/** The table at the end of a run, with its side notes (bundle contract, 1: summary); of a dry run with what the run will do. */
export const summaryLines = (
  plan: SyncPlan,
  tally: Tally,
  { paint, dryRun }: { readonly paint: Paint; readonly dryRun: boolean },
): string[] => {
  const shown: Readonly<Record<string, string>> = dryRun ? plannedHeadings : headings;
  const counted = columns.filter((column) => Object.hasOwn(shown, column));
  const joining = dryRun ? joiningIn(plan) : tally.roster.created;
  const counts: Tally = { ...tally, roster: { ...tally.roster, created: joining } };
  const cellOf = (count: number, column: (typeof columns)[number]): string =>
    (column === 'failed' || column === 'not_tried') && count > 0 ? paint.red(String(count)) : String(count);
  const rows = syncSteps.map((step) => {
    const cells = counted.map((column) => cellOf(counts[step][column], column));
    return [stepNames[step]].concat(cells, skippedText(plan.steps[step]?.skipped));
  });
  const others = plan.steps.choices?.others ?? 0;
  const added = `${plural(joining, 'subject')} ${dryRun ? 'would be added' : 'added'} to the roster group`;
  return [
    ...alignColumns(
      [['', ...counted.map((column) => shown[column] ?? column), ''].map((cell) => paint.bold(cell)), ...rows],
      ['left', ...counted.map(() => 'right' as const), 'left'],
    ),
    '',
    [
      ...(others === 0 ? [] : [`${plural(others, 'option')} not in the bundle left unchanged`]),
      ...(plan.logins_left_out === 0 ? [] : [`${plural(plan.logins_left_out, 'login')} left out`]),
      `${added}.`,
    ].join('; '),
  ];
};

/** How a call that had a plan ended. */
interface Ended {
  readonly plan: SyncPlan;
  readonly ran: RunResult;
  readonly failed: Failures;
  readonly verdict: Verdict | undefined;
  readonly dryRun: boolean;
}

/**
 * What a call that had a plan prints at its end.
 * @param hint the call that finishes the run
 * @param between lines between the table and the record
 */
export const planLines = (
  { paint }: Pick<Shell, 'paint'>,
  { plan, ran, failed, verdict, dryRun }: Ended,
  hint: string | undefined,
  between: readonly string[],
): string[] => {
  const more = ran.continues === undefined ? '' : `, which goes on with ${ran.continues}: an undo takes back both`;
  return [
    ...(dryRun ? [...describePlan(plan, paint), ''] : deactivationLines(plan.changes, paint)),
    ...summaryLines(plan, ran.tally, { paint, dryRun }),
    '',
    ...between,
    ...(ran.record === null ? [] : [`Run record: ${ran.record}${more}`]),
    ...(dryRun ? ['Nothing was written to the site.'] : []),
    ...goOnLines(ran, failed, hint),
    ...verdictLines(verdict, dryRun && plan.changes.length > 0),
  ];
};

/** The same as JSON data. */
export const planJson = ({ plan, ran, failed, verdict, dryRun }: Ended): object => ({
  dry_run: dryRun,
  plan_hash: plan.hash,
  steps: ran.tally,
  skipped: skippedJson(plan),
  options_not_in_bundle: plan.steps.choices?.others ?? 0,
  logins_left_out: plan.logins_left_out,
  roster_added: ran.tally.roster.created,
  failures: failuresJson(failed, ran.failures),
  record: ran.record,
  ...verdictJson(verdict),
});

/** Whether the patrols would import. @param isProspect on the site as the run would leave it */
export const verdictLines = (verdict: Verdict | undefined, isProspect = false): string[] => {
  if (verdict === undefined) return [];
  const [when, more] = isProspect ? [' after the run', 'rehearse after it'] : ['', 'rehearse'];
  const details = isBlocked(verdict) ? ` Details: sync-tool ${more}` : '';
  return [`Import of the patrols${when}: ${printable(verdict.sentence)}${details}`];
};

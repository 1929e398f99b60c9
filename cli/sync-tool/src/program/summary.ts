import { type SyncPlan, syncSteps } from '@ranger-relay/contracts';
import { alignColumns, type Paint, plural } from '@ranger-relay/terminal';
import { stepNames, type Tally } from '../run/tally.ts';

const columns = ['created', 'updated', 'unchanged', 'deactivated', 'failed', 'not_tried'] as const;

const headings = { ...Object.fromEntries(columns.map((column) => [column, column])), not_tried: 'not tried' };
/** Columns of a plan, which has no failed and no untried changes. */
const plannedHeadings = {
  created: 'to create',
  updated: 'to update',
  unchanged: 'unchanged',
  deactivated: 'to deactivate',
};

const skippedText = (skipped: string | null | undefined): string => (skipped ? `not carried out: ${skipped}` : '');

/** The table at the end of a run, with its side notes (bundle contract, 1: summary). */
export const summaryLines = (
  plan: SyncPlan,
  tally: Tally,
  { paint, dryRun }: { readonly paint: Paint; readonly dryRun: boolean },
): string[] => {
  const shown: Readonly<Record<string, string>> = dryRun ? plannedHeadings : headings;
  const counted = columns.filter((column) => Object.hasOwn(shown, column));
  const rows = syncSteps.map((step) => [
    stepNames[step],
    ...counted.map((column) => {
      const count = tally[step][column];
      const text = String(count);
      return (column === 'failed' || column === 'not_tried') && count > 0 ? paint.red(text) : text;
    }),
    skippedText(plan.steps[step]?.skipped),
  ]);
  const others = plan.steps.choices?.others ?? 0;
  return [
    ...alignColumns(
      [['', ...counted.map((column) => shown[column] ?? column), ''].map((cell) => paint.bold(cell)), ...rows],
      ['left', ...counted.map(() => 'right' as const), 'left'],
    ),
    '',
    `${plural(others, 'option')} not in the bundle left as they are; ${plural(plan.logins_left_out, 'login')} left out; ${plural(tally.roster.created, 'subject')} added to the roster group.`,
  ];
};

/** The same as JSON data. */
export const summaryJson = (plan: SyncPlan, tally: Tally): object => ({
  steps: tally,
  skipped: Object.fromEntries(
    syncSteps.flatMap((step) => (plan.steps[step]?.skipped ? [[step, plan.steps[step].skipped]] : [])),
  ),
  options_not_in_bundle: plan.steps.choices?.others ?? 0,
  logins_left_out: plan.logins_left_out,
  roster_added: tally.roster.created,
});

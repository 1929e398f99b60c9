import { basename } from 'node:path';
import type { SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Item } from '../checklist/items.ts';
import type { RunResult } from '../run/run.ts';
import type { Tally } from '../run/tally.ts';
import type { Facts } from '../summary/write.ts';
import { failureText, type Failures, wroteNothing } from './failures.ts';

const columns = ['created', 'updated', 'deactivated', 'unchanged', 'failed', 'not_tried'] as const;

const totalsOf = (tally: Tally): NonNullable<Facts['counts']> =>
  Object.fromEntries(
    columns.map((column) => [column, Object.values(tally).reduce((sum, count) => sum + count[column], 0)]),
  );

const fileName = (path: string | null): string | null => (path === null ? null : basename(path));

const failureFacts = (failed: Failures): Facts => ({
  failures: [...failed].map(([step, { code }]) => ({ step, reason: code })),
  message: failed.size === 0 ? null : [...failed].map(([step, error]) => failureText(step, error)).join('; '),
});

/**
 * Summary facts of a run or a dry run.
 * @param hint the call that finishes it
 * @param differences number of changes in the plan of a dry run; includes the roster changes, which a dry run does not count
 */
export const runFacts = (
  { tally, record, interrupted }: RunResult,
  failed: Failures,
  hint: string | undefined,
  differences?: number,
): Facts => ({
  ...failureFacts(failed),
  ...(interrupted ? { message: hint === undefined ? wroteNothing : `Interrupted. Finish it: ${hint}` } : {}),
  counts: { ...totalsOf(tally), ...(differences === undefined ? {} : { differences }) },
  steps: tally,
  people_deactivated: tally.subjects.deactivated,
  record: fileName(record),
});

/** Summary facts of a check of the site. */
export const verifyFacts = (differences: number, failed: Failures): Facts => {
  const facts = { ...failureFacts(failed), counts: { differences } };
  if (failed.size > 0 || differences === 0) return facts;
  return { ...facts, message: new RelayError('site_differs', { details: { differences } }).message };
};

/** Summary facts of a checklist. */
export const checklistFacts = (path: string, items: readonly Item[]): Facts => ({
  checklist: fileName(path),
  open: { items: items.filter(({ done }) => !done).map(({ who, text }) => ({ who, text })), left_out: 0 },
});

/** Summary facts of a plan; `path` is the plan file, if one was written. */
export const planFacts = ({ hash, bundle }: Pick<SyncPlan, 'hash' | 'bundle'>, path?: string): Facts => ({
  plan_hash: hash,
  bundle: bundle.sha256,
  ...(path === undefined ? {} : { plan: basename(path) }),
});

import type { SyncSummary } from '@ranger-relay/contracts';
import { cutText } from '@ranger-relay/errors';
import type { JobEnd, JobStatus, PlanStatus, RunStatus } from '../api/run-status.ts';

const maxTextLength = 300;
const maxOpen = 20;

const cut = (text: string): string => cutText(text, maxTextLength, '…');

/** How a Job ended, as the status keeps it. */
export const endOf = (job: JobStatus, summary: SyncSummary | undefined, now: number): JobEnd => ({
  outcome: summary?.outcome ?? 'unknown',
  ...(summary ? { exit: summary.exit, counts: summary.counts } : {}),
  ...(summary?.reason ? { reason: summary.reason } : {}),
  ...(summary?.message ? { message: cut(summary.message) } : {}),
  job: job.name,
  endedAt: new Date(now).toISOString(),
});

/** What a Job was made from, as its result keeps it. */
export const inputsOf = ({ inputs }: Pick<JobStatus, 'inputs'>): Pick<JobStatus, 'inputs'> =>
  inputs === undefined ? {} : { inputs };

/** What a plan, or a look at what an undo would do, ended in. */
export const planOf = (
  job: JobStatus,
  summary: SyncSummary | undefined,
  { now, path, before }: { readonly now: number; readonly path: string; readonly before: PlanStatus | undefined },
): PlanStatus => {
  const { created = 0, updated = 0, deactivated = 0, undone = 0, differences } = summary?.counts ?? {};
  const again = before?.inputs === job.inputs && before?.run === job.run && before.outcome !== 'done';
  return {
    ...endOf(job, summary, now),
    generation: job.generation,
    ...inputsOf(job),
    run: job.run,
    number: job.number,
    ...(summary?.plan_hash && summary.outcome === 'done' ? { hash: summary.plan_hash } : {}),
    ...(summary?.bundle ? { bundle: summary.bundle } : {}),
    // Who would join the roster is not counted as created, and is a change all the same.
    writes: differences ?? created + updated + deactivated + undone,
    peopleDeactivated: summary?.people_deactivated ?? 0,
    path,
    tries: again ? before.tries + 1 : 1,
  };
};

/** What a run ended in; a resumed one keeps the record that is known. */
export const runOf = (
  job: JobStatus,
  summary: SyncSummary | undefined,
  { now, folder, before }: { readonly now: number; readonly folder: string; readonly before: RunStatus | undefined },
): RunStatus => {
  const end = endOf(job, summary, now);
  const same = before?.folder === folder && job.attempt > 0 ? before : undefined;
  const record = summary?.record ? `${folder}/${summary.record}` : same?.record;
  // Nothing lies in the folder of the run: the Job before this one ended before its first write, and said why.
  const nothing = end.reason === 'record_missing' && record === undefined;
  return {
    ...(nothing && same?.reason
      ? { ...end, reason: same.reason, ...(same.message ? { message: same.message } : {}) }
      : end),
    command: job.command,
    generation: job.generation,
    run: job.run,
    number: job.number,
    ...(job.planHash === undefined ? {} : { planHash: job.planHash }),
    attempt: job.attempt,
    folder,
    ...(record === undefined ? {} : { record }),
    ...(nothing ? { nothingWritten: true } : {}),
  };
};

/** The open items of a checklist, as far as the status shows them. */
export const checklistOf = (summary: SyncSummary | undefined, folder: string) =>
  summary?.checklist
    ? {
        path: `${folder}/${summary.checklist}`,
        openItems: summary.open.items.length + summary.open.left_out,
        open: summary.open.items.slice(0, maxOpen).map(({ who, text }) => ({ who, text: cut(text) })),
      }
    : undefined;

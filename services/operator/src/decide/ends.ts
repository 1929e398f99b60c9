import type { SyncSummary } from '@ranger-relay/contracts';
import { cutText } from '@ranger-relay/errors';
import type { JobEnd, JobStatus, PlanStatus, RunStatus } from '../api/run-status.ts';

const maxTextLength = 300;
const maxOpen = 20;

const cut = (text: string): string => cutText(text, maxTextLength, '…');

/** End of a Job in the form that the status stores. */
export const endOf = (job: JobStatus, summary: SyncSummary | undefined, now: number): JobEnd => ({
  outcome: summary?.outcome ?? 'unknown',
  ...(summary ? { exit: summary.exit, counts: summary.counts } : {}),
  ...(summary?.reason ? { reason: summary.reason } : {}),
  ...(summary?.message ? { message: cut(summary.message) } : {}),
  job: job.name,
  endedAt: new Date(now).toISOString(),
});

/** Why a Job has failed. */
export const why = ({ reason, message, job }: Pick<JobEnd, 'reason' | 'message' | 'job'>): string =>
  `${message ?? `Job ${job} ended without a message`}${reason === undefined ? '' : ` (${reason})`}`;

/** Input hash of a Job in the form that its result stores. */
export const inputsOf = ({ inputs }: Pick<JobStatus, 'inputs'>): Pick<JobStatus, 'inputs'> =>
  inputs === undefined ? {} : { inputs };

/** Result of a `plan` or `undo-plan` Job. */
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
    // New roster members are not part of `created`, but they still count as a change.
    writes: differences ?? created + updated + deactivated + undone,
    peopleDeactivated: summary?.people_deactivated ?? 0,
    path,
    tries: again ? before.tries + 1 : 1,
  };
};

/** Result of a run; a resumed run keeps the known record. */
export const runOf = (
  job: JobStatus,
  summary: SyncSummary | undefined,
  { now, folder, before }: { readonly now: number; readonly folder: string; readonly before: RunStatus | undefined },
): RunStatus => {
  const end = endOf(job, summary, now);
  const same = before?.folder === folder && job.attempt > 0 ? before : undefined;
  const record = summary?.record ? `${folder}/${summary.record}` : same?.record;
  // The run folder is empty: the previous Job ended before its first write and reported why.
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

/** Open items of a checklist, up to the number that the status shows. */
export const checklistOf = (summary: SyncSummary | undefined, folder: string) =>
  summary?.checklist
    ? {
        path: `${folder}/${summary.checklist}`,
        openItems: summary.open.items.length + summary.open.left_out,
        open: summary.open.items.slice(0, maxOpen).map(({ who, text }) => ({ who, text: cut(text) })),
      }
    : undefined;

import type { SyncSummary } from '@ranger-relay/contracts';
import { cutText } from '@ranger-relay/errors';
import type { JobStatus } from '../api/run-status.ts';
import type { SyncFacts } from '../api/sync-status.ts';
import { checklistOf, inputsOf, planOf, runOf } from './ends.ts';
import type { SyncObserved } from './observed.ts';
import { folderOf } from './sync-parts.ts';

const checked = (facts: SyncFacts, job: JobStatus, now: number, summary: SyncSummary | undefined): SyncFacts => {
  const differences = summary?.outcome === 'done' ? 0 : summary?.counts.differences;
  const unknown = summary?.message ?? `Job ${job.name} ended without a word`;
  return {
    ...facts,
    drift: {
      generation: job.generation,
      ...inputsOf(job),
      run: job.run,
      number: job.command === 'verify' ? job.number : (facts.drift?.number ?? 0),
      ...(differences === undefined ? { message: cutText(unknown, 300) } : { differences }),
      ...(summary?.bundle ? { bundle: summary.bundle } : {}),
      ...(facts.lastRun ? { lastRun: facts.lastRun.job } : {}),
      checkedAt: new Date(now).toISOString(),
    },
  };
};

const planned = (o: SyncObserved, facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const folder = folderOf(o, facts, job);
  const path = `${folder}/plan.json`;
  const plan = planOf(job, summary, { now: o.now, path, before: facts.plan });
  const made = { ...facts, plans: Math.max(facts.plans ?? 0, job.number), plan };
  // A plan that writes nothing is a comparison that found nothing.
  const same = plan.hash !== undefined && plan.writes === 0;
  return same ? checked(made, job, o.now, summary) : made;
};

const ran = (o: SyncObserved, facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const lastRun = runOf(job, summary, { now: o.now, folder: folderOf(o, facts, job), before: facts.lastRun });
  const { plan } = facts;
  const outdated = lastRun.reason === 'plan_outdated' && lastRun.record === undefined && plan?.number === job.number;
  return { ...facts, lastRun, ...(plan && outdated ? { plan: { ...plan, outdated } } : {}) };
};

/** Volumes that could not be tidied up are no reason to hold anything up. */
const pruned = (facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const tidied = { number: job.number, ...inputsOf(job) };
  if (summary?.outcome === 'done') return { ...facts, pruned: tidied };
  const message = cutText(summary?.message ?? `Job ${job.name} ended without a word`, 300);
  return { ...facts, pruned: { ...tidied, message } };
};

/** What is known when a Job has ended: its result takes the place of the Job. */
export const afterEnd = (
  o: SyncObserved,
  facts: SyncFacts,
  job: JobStatus,
  summary: SyncSummary | undefined,
): SyncFacts => {
  const { job: _, ...rest } = facts;
  const checklist = checklistOf(summary, folderOf(o, facts, job));
  const known = checklist ? { ...rest, checklist } : rest;
  if (job.command === 'plan') return planned(o, known, job, summary);
  if (job.command === 'prune') return pruned(known, job, summary);
  if (job.command === 'verify') return checked(known, job, o.now, summary);
  return ran(o, known, job, summary);
};

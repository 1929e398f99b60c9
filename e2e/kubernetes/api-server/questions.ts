import type { Question } from './ask.ts';
import { aboutJobs } from './jobs.ts';
import { aboutLeases } from './leases.ts';
import { aboutOthers } from './others.ts';
import { aboutStatus } from './status.ts';

/** Everything that the operator relies on, and that an API server in memory has to answer as a real one does. */
export const questions: Readonly<Record<string, Question>> = Object.fromEntries(
  Object.entries({ status: aboutStatus, Jobs: aboutJobs, Leases: aboutLeases, others: aboutOthers }).flatMap(
    ([about, list]) => Object.entries(list).map(([name, question]) => [`${about}: ${name}`, question]),
  ),
);

/** API call of a step in addition to the status write. */
export type Call = 'nothing' | 'create job' | 'change job' | 'delete job' | 'lease';

/**
 * All steps of the operator. Each makes at most one call and writes the status at most once. The kill matrix stops the operator
 * before and after each of these calls.
 */
export const steps = {
  CreateJob: { call: 'create job', about: 'A suspended Job is created' },
  RecordJob: { call: 'nothing', about: 'The status records the Job and the approval that it uses' },
  ReleaseJob: { call: 'change job', about: 'The recorded Job is released' },
  RemoveJob: { call: 'delete job', about: 'A Job that is no longer needed is deleted' },
  WaitJob: { call: 'nothing', about: 'A Job is running' },
  WaitPods: { call: 'nothing', about: 'A pod of a finished Job still exists' },
  RecordEnd: { call: 'nothing', about: 'The status records the result of the Job' },
  AcquireSiteLock: { call: 'lease', about: 'The Lease of the site is acquired' },
  ReleaseSiteLock: { call: 'lease', about: 'The Lease of the site is released' },
  WaitForSiteLock: { call: 'nothing', about: 'Another object writes to the site' },
  StepAside: { call: 'nothing', about: 'A rollback has priority; nothing is applied' },
  WaitSync: { call: 'nothing', about: 'The PatrolSync has not yielded yet' },
  RolledBack: { call: 'nothing', about: 'A rollback has undone the run' },
  Suspended: { call: 'nothing', about: 'The object is suspended' },
  WaitSecret: { call: 'nothing', about: 'A Secret is missing' },
  WaitApproval: { call: 'nothing', about: 'A person has to approve the plan' },
  WaitRetry: { call: 'nothing', about: 'The next retry is not due yet' },
  Stalled: { call: 'nothing', about: 'A person has to fix the cause' },
  Idle: { call: 'nothing', about: 'Nothing is due' },
} as const satisfies Readonly<Record<string, { readonly call: Call; readonly about: string }>>;

export type StepName = keyof typeof steps;

/** API call of a step in addition to the status write. */
export type Call = 'nothing' | 'create job' | 'change job' | 'delete job' | 'lease';

interface StepAbout {
  readonly call: Call;
  readonly about: string;
}

/**
 * All steps of the operator. Each makes at most one call and writes the status at most once. The kill matrix stops the operator
 * before and after each of these calls.
 */
export const steps = {
  CreateJob: { call: 'create job', about: 'A Job is made that may not begin yet' },
  RecordJob: { call: 'nothing', about: 'The Job is written down, and with it the approval that it uses' },
  ReleaseJob: { call: 'change job', about: 'The Job that was written down may begin' },
  RemoveJob: { call: 'delete job', about: 'A Job that nobody needs any more is deleted' },
  WaitJob: { call: 'nothing', about: 'A Job is under way' },
  WaitPods: { call: 'nothing', about: 'A pod of a Job that has ended is not gone yet' },
  RecordEnd: { call: 'nothing', about: 'How the Job ended is written down' },
  TakeHold: { call: 'lease', about: 'The Lease of the site is taken' },
  GiveBackHold: { call: 'lease', about: 'The Lease of the site is given back' },
  WaitHold: { call: 'nothing', about: 'Another object writes to the site' },
  StepAside: { call: 'nothing', about: 'A rollback is let through; nothing is applied any more' },
  WaitSync: { call: 'nothing', about: 'The PatrolSync has not stepped aside yet' },
  RolledBack: { call: 'nothing', about: 'A rollback has taken the run back' },
  Suspended: { call: 'nothing', about: 'Nothing is started' },
  WaitSecret: { call: 'nothing', about: 'A Secret is missing' },
  WaitApproval: { call: 'nothing', about: 'A person has to approve the plan' },
  WaitRetry: { call: 'nothing', about: 'The next try comes after a while' },
  Stalled: { call: 'nothing', about: 'Only a person can go on' },
  Idle: { call: 'nothing', about: 'Nothing is due' },
} as const satisfies Readonly<Record<string, StepAbout>>;

export type StepName = keyof typeof steps;

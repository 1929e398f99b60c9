export { crds } from './api/crd.ts';
export type { SyncStatus } from './api/sync-status.ts';
export { commandLabel, patrolSyncs, rollbacks } from './api/group.ts';
export { compose } from './compose.ts';
export { operatorEnv, parseOperatorConfig } from './config.ts';
export { runOperator } from './run.ts';
export { steps, type StepName } from './decide/steps.ts';
export { type Job, jobs, wantedAnnotation } from './jobs/manifest.ts';
export { type Pod, pods } from './jobs/pod.ts';

export { crds } from './api/crd.ts';
export { commandLabel, patrolSyncs, rollbacks } from './api/group.ts';
export { compose } from './compose.ts';
export { operatorEnv, parseOperatorConfig } from './config.ts';
export { steps, type StepName } from './decide/steps.ts';
export { jobs, wantedAnnotation } from './jobs/manifest.ts';
export { pods } from './jobs/pod.ts';

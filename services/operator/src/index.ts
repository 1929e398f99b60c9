export { crds } from './api/crd.ts';
export { compose, type OperatorDependencies } from './compose.ts';
export { operatorEnv, parseOperatorConfig, type OperatorConfig } from './config.ts';
export { steps, type StepName } from './decide/steps.ts';

export { defineAction, type Action, type DefinedAction } from './define/action.ts';
export { discoverActions, type Catalogue } from './define/catalogue.ts';
export type { ActionContext, ActivityFeed, RunIntegration } from './define/context.ts';
export { modelForm } from './define/rules.ts';
export { actionsEnv, authenticateBy, callerProblems, commandsTopicOf } from './env.ts';
export { explain, type Explanation } from './execute/explain.ts';
export { repeatAfter } from './execute/not-run.ts';
export type { ExecuteOutcome, ExecuteRequest, SkipReason } from './execute/request.ts';
export { createRuntime, type ActionRuntime } from './execute/runtime.ts';
export { ActionFailure, type ErrorType, type FailureFacts } from './failure/action-failure.ts';
export { failureText } from './failure/classify.ts';
export { titleOf } from './failure/kinds.ts';
export { openEnvelope, replayCommand, replayConfigEvent } from './replay.ts';
export { registrationBody, registrationWarnings, typeSlug, type TypeSpec } from './registration/body.ts';
export { registerOnStart } from './registration/on-start.ts';
export { parseCrontab, lastFire, nextFire } from './schedule/crontab.ts';
export { overridesOf, schedulesOf, type Schedule } from './schedule/schedules.ts';
export { createBelievedTime, isOlder, type BelievedTime } from './time/believed-time.ts';
export {
  afterRunsS,
  commandsTopicSpec,
  serveActions,
  type ActionDependencies,
  type ActionService,
} from './service/serve-actions.ts';
export {
  createActionState,
  parseState,
  type ActionState,
  type StateOptions,
  type StateValue,
} from './state/action-state.ts';
export { stateKey, wholeAction } from './state/keys.ts';
export { holderOf, takeLease, type Lease } from './state/lease.ts';
export { backfillOf, rolledBack, watermarkOf } from './state/progress.ts';
export { maskSecrets } from './values/secrets.ts';

export type { Payload } from './activity-entry.ts';
export { createActivity, type Activity, type ActivityKind, type ActivityOptions } from './activity.ts';
export { createApiKeys, type ApiKeys } from './api-key.ts';
export { createApi, type PlatformApi } from './api.ts';
export { ingesterBudget, patientBudget, withBudget, type Budget, type BudgetTools } from './budget.ts';
export { createConfigCache, type ConfigCache } from './config-cache.ts';
export {
  applyConfigEvent,
  examineConfigEvent,
  readConfigEvent,
  type ConfigTarget,
  type ReadEvent,
} from './config-events.ts';
export { followConfigEvents, type Following, type FollowOptions } from './follow-config-events.ts';
export type { Configuration, Integration } from './integration.ts';
export { createIntegrations, type Integrations, type WebhookIntegration } from './integrations.ts';
export type { ListAnswer, Offender } from './list-answer.ts';
export { createLoader, type Loader } from './loader.ts';
export {
  createPlatform,
  platformSettings,
  type Platform,
  type PlatformOptions,
  type PlatformSettings,
} from './platform.ts';
export { createSensors, sensorsLimits, type PostOptions, type Sensors } from './sensors.ts';
export { createTokenSource, type TokenSettings, type TokenSource } from './token.ts';

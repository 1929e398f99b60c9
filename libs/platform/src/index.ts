export { writeEntry, type EntryDraft, type Payload } from './activity-entry.ts';
export { createActivity, type Activity, type ActivityKind, type ActivityOptions } from './activity.ts';
export { createApiKeys, type ApiKeys } from './api-key.ts';
export { createApi, type PlatformApi } from './api.ts';
export { ingesterBudget, patientBudget, withBudget, type Budget, type BudgetDependencies } from './budget.ts';
export { createCall, type PlatformCall } from './call.ts';
export { createConfigCache, type ConfigCache } from './config-cache.ts';
export { ageOf, configKey, decodeEntry, freshMs, type Entry, type EntryKind } from './config-entry.ts';
export {
  applyConfigEvent,
  examineConfigEvent,
  readConfigEvent,
  type ConfigTarget,
  type ReadEvent,
} from './config-events.ts';
export { encryptedConfig } from './config-entry.ts';
export type { ChangeAnswer, EventsAnswer } from './events/events.ts';
export { createEvents, type EventItem, type Events } from './events/events.ts';
export type { EventFile } from './events/events.ts';
export { followConfigEvents, type Following, type FollowOptions } from './follow-config-events.ts';
export type { Configuration, Integration } from './integration.ts';
export { createIntegrations, type Integrations, type WebhookIntegration } from './integrations.ts';
export { listIntegrations } from './list-answer.ts';
export type { ListAnswer, Offender } from './list-answer.ts';
export { createLoader, type Loader } from './loader.ts';
export {
  createPlatform,
  neededVariables,
  platformProblems,
  platformSettings,
  type Platform,
  type PlatformOptions,
  type PlatformSettings,
  type SensorsPools,
} from './platform.ts';
export { registerType, type ActionRegistration, type RegisteredType, type TypeRegistration } from './registration.ts';
export { chunkSize, sendInChunks, type Settle } from './send-in-chunks.ts';
export { sensorsLimits, type PostOptions } from './sensors.ts';
export { createSensors, type Sensors } from './sensors.ts';
export { createTokenSource, type TokenSettings, type TokenSource } from './token.ts';

export { writeEntry, type Activity } from './activity.ts';
export {
  createApi,
  ingesterBudget,
  patientBudget,
  withBudget,
  createCall,
  type PlatformApi,
  type Budget,
  type BudgetDependencies,
  type PlatformCall,
} from './api.ts';
export { createConfigCache } from './config-cache.ts';
export { configKey, decodeEntry, freshMs, encryptedConfig, type Entry, type EntryKind } from './config-entry.ts';
export { examineConfigEvent, type ReadEvent } from './config-events.ts';
export type { ChangeAnswer, EventItem, Events, EventFile } from './events/events.ts';
export {
  createFailureTracker,
  emergencyPolicy,
  steadyPolicy,
  type FailureTracker,
  type LaneRef,
  type RetryPolicy,
} from './failure-tracker.ts';
export type { Integration } from './integration.ts';
export {
  createIntegrations,
  listIntegrations,
  webhookSettingsOf,
  type Integrations,
  type WebhookIntegration,
} from './integrations.ts';
export type { ListAnswer, Offender } from './list-answer.ts';
export { createLoader } from './loader.ts';
export { createLoneFailures, type LoneFailures } from './lone-failures.ts';
export {
  createPlatform,
  neededVariables,
  platformAddressProblems,
  platformProblems,
  platformSettings,
  type Platform,
  type PlatformSettings,
  type SensorsPools,
} from './platform.ts';
export { registerType, type ActionRegistration, type RegisteredType, type TypeRegistration } from './registration.ts';
export { chunkSize, newDeliveryAttempt, sendInChunks, sensorsLimits, type Settle, type Sensors } from './sensors.ts';
export { createTokenSource, type TokenSource } from './token.ts';

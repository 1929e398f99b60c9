export { writeEntry } from './activity.ts';
export type { Activity } from './activity.ts';
export { createApi, type PlatformApi } from './api.ts';
export { ingesterBudget, patientBudget, withBudget, type Budget, type BudgetDependencies } from './api.ts';
export { createCall, type PlatformCall } from './api.ts';
export { createConfigCache } from './config-cache.ts';
export { configKey, decodeEntry, freshMs, type Entry, type EntryKind } from './config-entry.ts';
export { examineConfigEvent, type ReadEvent } from './config-events.ts';
export { encryptedConfig } from './config-entry.ts';
export type { ChangeAnswer } from './events/events.ts';
export { type EventItem, type Events } from './events/events.ts';
export type { EventFile } from './events/events.ts';
export {
  createFailureTracker,
  emergencyPolicy,
  steadyPolicy,
  type FailureTracker,
  type LaneRef,
  type RetryPolicy,
} from './failure-tracker.ts';
export type { Integration } from './integration.ts';
export { createIntegrations, type Integrations, listIntegrations, webhookSettingsOf } from './integrations.ts';
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
export { chunkSize, newDeliveryAttempt, sendInChunks, type Settle } from './sensors.ts';
export { sensorsLimits } from './sensors.ts';
export { type Sensors } from './sensors.ts';
export { createTokenSource, type TokenSource } from './token.ts';

export {
  activityEventSchema,
  activityEventTypeSchema,
  activityLevel,
  type ActivityEvent,
  type ActivityKind,
  type ActivityPayloads,
} from './activity-event.ts';
export { conditionDocumentSchema } from './condition-view.ts';
export {
  configEventKey,
  configEventSchema,
  configEventTypeSchema,
  type ConfigEvent,
  type ConfigEventType,
} from './config-event.ts';
export {
  deadLetterBodyLimit,
  deadLetterKindSchema,
  deadLetterSchema,
  type DeadLetter,
  type DeadLetterKind,
} from './dead-letter.ts';
export { canonicalId, idSchema, isUuid } from './id.ts';
export { outboundMessageKey, outboundMessageSchema, type OutboundMessage } from './push-envelope.ts';
export { pushEnvelopeSchema, pushMessageOf, type PushMessage } from './push-envelope.ts';
export { readRecord } from './read-record.ts';
export {
  commandKey,
  newCommand,
  runActionCommandSchema,
  isUnknownTrigger,
  triggeredBySchema,
  type CommandDraft,
  type RunActionCommand,
  type TriggeredBy,
} from './run-action-command.ts';
export { siteEventKey, siteEventSchema, type SiteEventRecord } from './site-event.ts';
export {
  integrationOfKey,
  messageSchema,
  observationSchema,
  sosStateSchema,
  sourceEventKey,
  sourceEventSchema,
  type Message,
  type Observation,
  type SosState,
  type SourceEvent,
  maybeSentHeader,
} from './source-event.ts';
export {
  eventPartSchema,
  partsOf,
  recordedAt,
  sosStepOf,
  sosStepSchema,
  type EventPart,
  type SosStep,
} from './sos-step.ts';
export { busRightsOf, toolRights, toolUser, type BusNames, type BusRight } from './bus-rights.ts';
export { kafkaTopicSettings, minInsyncFor } from './topics.ts';
export { busUsers, commandsTopic, topicOfEvent, topics, untilDone, type BusUser, type TopicSpec } from './topics.ts';
export {
  stepOf,
  syncKinds,
  syncSteps,
  type Deactivation,
  type PlannedChange,
  type SyncKind,
  type SyncStep,
} from './sync/plan.ts';
export {
  planText,
  syncPlanSchema,
  type AreaNeeds,
  type StepOutlook,
  type SyncOptions,
  type SyncPlan,
} from './sync/plan.ts';
export {
  recordedChangeSchema,
  runRecordSchema,
  undoReportSchema,
  type RecordedChange,
  type RunRecord,
  type UndoneEntry,
  type UndoReport,
} from './sync/record.ts';
export {
  summaryCounts,
  syncSummaryBytes,
  syncSummarySchema,
  type SyncStepCount,
  type SyncSummary,
} from './sync/summary.ts';

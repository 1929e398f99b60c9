export {
  activityEventSchema,
  activityEventTypeSchema,
  activityLevel,
  type ActivityEvent,
  type ActivityEventType,
  type ActivityLevel,
} from './activity-event.ts';
export { configEventSchema, configEventTypeSchema, type ConfigEvent, type ConfigEventType } from './config-event.ts';
export {
  deadLetterBodyLimit,
  deadLetterKindSchema,
  deadLetterSchema,
  type DeadLetter,
  type DeadLetterKind,
} from './dead-letter.ts';
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
} from './source-event.ts';
export { commandsTopic, topics, type TopicSpec } from './topics.ts';

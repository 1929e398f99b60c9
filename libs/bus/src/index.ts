export {
  createDeadLetters,
  deadLetterOf,
  type DeadLetterFacts,
  type DeadLetters,
  type RecordOrigin,
} from './dead-letters.ts';
export { replayedLetter, replayHeaders } from './dead-letters.ts';
export { openEmbeddedBus, type EmbeddedBus } from './embedded/open.ts';
export { salvageBus, type Salvage } from './embedded/salvage.ts';
export type { BusTopic } from './embedded/topics.ts';
export { oldestAgeSeconds } from './port.ts';
export type { LostRecords } from './consume/lost-records.ts';
export { requireTopics } from './require-topics.ts';
export { partitionOf } from './partitioner.ts';
export { movedHeaders, storedOf } from './port.ts';
export type {
  Batch,
  Bus,
  BusRecord,
  ConsumeOptions,
  DeadLetterDraft,
  Handler,
  OutgoingRecord,
  Outcome,
  PendingKey,
  Subscription,
  UndoneLanes,
} from './port.ts';
export { isOpenElsewhere } from '@ranger-relay/sqlite';

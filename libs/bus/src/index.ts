export { openEmbeddedBus, type EmbeddedBus, type EmbeddedBusOptions } from './embedded/open.ts';
export { salvageBus, type LostRange, type Salvage } from './embedded/salvage.ts';
export type { BusTopic } from './embedded/topics.ts';
export { kafkaSettings } from './kafka/client/from-env.ts';
export type { KafkaSettings } from './kafka/client/settings.ts';
export { openKafkaBus, type KafkaBus, type KafkaBusOptions, type KafkaTopic } from './kafka/open.ts';
export { openTopicKeeper, type TopicKeeper, type TopicState, type WantedTopic } from './kafka/topics.ts';
export { partitionOf } from './partitioner.ts';
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
  ReadOptions,
  Subscription,
} from './port.ts';

export type { BrokerFacts } from './admin/calls.ts';
export type { WantedTopic } from './admin/differences.ts';
export {
  openTopicAdmin as openTopicKeeper,
  type UpdateOptions as RaiseOptions,
  type TopicChange,
  type TopicAdmin as TopicKeeper,
  type TopicState,
} from './admin/topic-admin.ts';
export { kafkaSettings } from './client/from-env.ts';
export type { KafkaSettings } from './client/settings.ts';
export { openKafkaBus, type KafkaBus, type KafkaBusOptions, type KafkaTopic } from './open.ts';

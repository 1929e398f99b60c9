export type { BrokerFacts } from './admin/calls.ts';
export type { WantedTopic } from './admin/differences.ts';
export {
  openTopicKeeper,
  type RaiseOptions,
  type TopicChange,
  type TopicKeeper,
  type TopicState,
} from './admin/keeper.ts';
export { kafkaSettings } from './client/from-env.ts';
export type { KafkaSettings } from './client/settings.ts';
export { openKafkaBus, type KafkaBus, type KafkaBusOptions, type KafkaTopic } from './open.ts';

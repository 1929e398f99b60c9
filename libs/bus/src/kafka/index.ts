export type { BrokerFacts } from './admin/calls.ts';
export type { WantedTopic } from './admin/differences.ts';
export { openTopicAdmin, type TopicChange, type TopicAdmin, type TopicState } from './admin/topic-admin.ts';
export { kafkaProblems, kafkaSettings } from './client/settings.ts';
export type { KafkaSettings } from './client/settings.ts';
export { openKafkaBus, type KafkaBus, type KafkaTopic } from './open.ts';

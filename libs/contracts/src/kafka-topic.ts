import type { TopicSpec } from './topics.ts';

/** What a topic of the catalogue needs on Kafka. */
export type KafkaTopicSpec = Pick<TopicSpec, 'retentionMs' | 'maxRecordBytes'>;

/** A record travels in a batch with its key, headers and lengths. */
const batchRoom = 65_536;

/**
 * Copies that must have a record before it counts as stored: with three or more, one broker may be lost at any moment and nothing with it;
 * with fewer, a second one would stop all writing while a broker is away.
 */
export const minInsyncFor = (replicas: number): number => (replicas >= 3 ? 2 : 1);

/** Settings of a topic on Kafka, by their names there. */
export const kafkaTopicSettings = ({
  retentionMs,
  maxRecordBytes,
}: KafkaTopicSpec): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  // Others may write compressed; every reader can read what is stored without.
  'compression.type': 'uncompressed',
  'retention.ms': String(retentionMs),
  'max.message.bytes': String(maxRecordBytes + batchRoom),
});

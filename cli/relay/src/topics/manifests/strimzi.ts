import {
  kafkaTopicSettings,
  minInsyncFor,
  type BusNames,
  type BusRight,
  type TopicSpec,
} from '@ranger-relay/contracts';
import { rightsOfAll, type UserRights } from '../topic-admin.ts';

/** How the manifests are to be. */
export interface StrimziOptions {
  /** Name of the `Kafka` that the topics and users belong to. */
  readonly cluster: string;
  readonly namespace?: string | undefined;
  /** Copies of each record. */
  readonly replicas: number;
  /** How users log in; null makes no users. */
  readonly authentication: 'scram-sha-512' | 'tls' | null;
  /** Version of the operator's interface. */
  readonly api: 'v1beta2' | 'v1';
}

const group = 'kafka.strimzi.io';

/** Names of Kubernetes objects allow fewer characters than those of topics. */
const objectName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replace(/^[^a-z0-9]+/, '');

const metadataOf = (name: string, { cluster, namespace }: StrimziOptions) => ({
  name: objectName(name),
  ...(namespace === undefined ? {} : { namespace }),
  labels: { 'strimzi.io/cluster': cluster, 'app.kubernetes.io/part-of': 'ranger-relay' },
});

const topicOf = (topic: TopicSpec, prefix: string, options: StrimziOptions) => ({
  apiVersion: `${group}/${options.api}`,
  kind: 'KafkaTopic',
  metadata: metadataOf(prefix + topic.name, options),
  spec: {
    topicName: prefix + topic.name,
    partitions: topic.partitions,
    replicas: options.replicas,
    config: {
      ...kafkaTopicSettings(topic),
      'min.insync.replicas': String(minInsyncFor(options.replicas)),
    },
  },
});

const aclOf = ({ kind, name, operations }: BusRight) => ({
  resource: { type: kind, name, patternType: 'literal' },
  operations: [...operations],
});

const userOf = ({ user, rights }: UserRights, prefix: string, options: StrimziOptions, type: string) => ({
  apiVersion: `${group}/${options.api}`,
  kind: 'KafkaUser',
  metadata: metadataOf(prefix + user, options),
  spec: { authentication: { type }, authorization: { type: 'simple', acls: rights.map(aclOf) } },
});

/** The topics of an installation and, unless they are left out, its users with their rights, as objects of the Strimzi operator. */
export const strimziManifests = (names: BusNames, options: StrimziOptions) => {
  const { authentication: type } = options;
  return [
    ...names.topics.map((topic) => topicOf(topic, names.prefix, options)),
    ...(type === null ? [] : rightsOfAll(names).map((user) => userOf(user, names.prefix, options, type))),
  ];
};

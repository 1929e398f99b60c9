import { patterns } from '@ranger-relay/runtime';
import { flag, labelOrNothing, matching, nameOrNothing, oneOf, secretRef, text, texts, whole } from '../../entry.mjs';

/** @typedef {import('../../entry.mjs').Entry} Entry */

const job = 'Job/-topics#spec.template.spec.containers[0]';
const probePod = 'Pod/-test-probe#spec.containers[0]';
const strimzi = { 'kafka.topics.mode': 'strimzi', 'kafka.topics.strimzi.cluster': 'events' };
const withUsers = { ...strimzi, 'kafka.topics.strimzi.users.enabled': true };
const login = {
  'global.kafka.sasl.mechanism': 'plain',
  'global.kafka.sasl.username': 'u',
  'global.kafka.sasl.password': { name: 's', key: 'k' },
};
const secretOf = (/** @type {string} */ pod, /** @type {string} */ name) =>
  `${pod}.volumes[name=secrets].projected.sources[secret.name=${name}].secret.items[0].key`;

const services = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'];

/** Which charts below this one are installed. @type {readonly Entry[]} */
export const chartEntries = [
  ...services.map((name) => ({
    schema: flag.schema,
    takes: flag.takes,
    path: `${name}.enabled`,
    about: `Whether the chart ${name} is installed; its other values stand beside`,
    default: true,
    probe: { set: false, at: `Deployment/-${name}#`, shows: false },
  })),
  {
    ...flag,
    path: 'global.renderedAbove',
    about:
      'Not used by anybody else: this chart renders its services itself, so that embedded.enabled can leave them out',
    default: true,
  },
];

/** The image of topics, tests and the embedded mode. @type {readonly Entry[]} */
export const imageEntries = [
  {
    ...text(),
    path: 'image.repository',
    about: 'Image of topics, tests and the embedded mode in the registry',
    default: 'ranger-relay/ranger-relay',
    probe: { set: 'park/relay', at: `${job}.image`, shows: 'docker.io/park/relay:0.1.0' },
  },
  {
    ...matching('`sha256:` and 64 digits, or nothing', '^(?:sha256:[0-9a-f]{64})?$'),
    path: 'image.digest',
    about: 'Digest of that image, which then counts before the tag',
    default: '',
    probe: {
      set: `sha256:${'a'.repeat(64)}`,
      at: `${job}.image`,
      shows: `docker.io/ranger-relay/ranger-relay@sha256:${'a'.repeat(64)}`,
    },
  },
];

/** @type {readonly Entry[]} */
const strimziEntries = [
  {
    ...nameOrNothing,
    path: 'kafka.topics.strimzi.cluster',
    about: 'Name of the Kafka that the topics belong to, with mode strimzi',
    default: '',
    probe: {
      set: 'probe',
      with: { 'kafka.topics.mode': 'strimzi' },
      at: 'KafkaTopic/dead-letters#metadata.labels["strimzi.io/cluster"]',
    },
  },
  {
    ...labelOrNothing,
    path: 'kafka.topics.strimzi.namespace',
    about: 'Namespace that the operator watches; that of the release when empty',
    default: '',
    probe: { set: 'probe', with: strimzi, at: 'KafkaTopic/dead-letters#metadata.namespace' },
  },
  {
    ...oneOf('', 'v1', 'v1beta2'),
    path: 'kafka.topics.strimzi.api',
    about: 'Version of the operator’s interface; the newest that the cluster serves when empty',
    default: '',
    probe: {
      set: 'v1beta2',
      with: strimzi,
      at: 'KafkaTopic/dead-letters#apiVersion',
      shows: 'kafka.strimzi.io/v1beta2',
    },
  },
  {
    ...flag,
    path: 'kafka.topics.strimzi.users.enabled',
    about:
      'Whether a user with the least rights is made for each service, which then logs in as it unless it has a login',
    default: false,
    probe: { set: true, with: strimzi, at: 'KafkaUser#' },
  },
  {
    ...oneOf('scram-sha-512', 'tls'),
    path: 'kafka.topics.strimzi.users.authentication',
    about: 'How these users log in',
    default: 'scram-sha-512',
    probe: { set: 'tls', with: withUsers, at: 'KafkaUser/webhook-ingester#spec.authentication.type' },
  },
];

/** How topics come to the brokers. @type {readonly Entry[]} */
export const topicEntries = [
  {
    ...oneOf('job', 'strimzi', 'none'),
    path: 'kafka.topics.mode',
    about: 'Who makes the topics: a Job before each installation and upgrade, the Strimzi operator, or somebody else',
    default: 'job',
    probe: { set: 'none', at: 'Job/-topics#', shows: false },
  },
  {
    ...whole(1, 15),
    path: 'kafka.topics.replication',
    about:
      'Copies of each record of new topics; of three or more, two have it before it counts as stored. With fewer brokers the installation stops',
    default: 3,
    probe: { set: 2, at: `${job}.args[=--replication=2]`, shows: '--replication=2' },
  },
  {
    ...flag,
    path: 'kafka.topics.raisePartitions',
    about:
      'Whether the Job adds partitions to topics that have fewer; later records of a source may then overtake those that wait',
    default: false,
    probe: { set: true, at: `${job}.args[=--raise-partitions]`, shows: '--raise-partitions' },
  },
  {
    ...whole(5, 3_600),
    path: 'kafka.topics.waitSeconds',
    about: 'How long the Job waits for brokers that do not answer yet',
    default: 120,
    probe: { set: 77, at: `${job}.args[=--wait=77s]`, shows: '--wait=77s' },
  },
  {
    ...text(),
    path: 'kafka.topics.sasl.username',
    about: 'User of the Job, who may create and alter topics; that of global.kafka when empty',
    default: '',
    probe: { set: 'admin', with: login, at: `${job}.env[name=KAFKA_SASL_USERNAME].value` },
  },
  {
    ...secretRef,
    path: 'kafka.topics.sasl.password',
    about: 'Password of that user',
    probe: {
      set: { name: 'probe-secret', key: 'word' },
      with: login,
      at: secretOf('Job/-topics#spec.template.spec', 'probe-secret'),
      shows: 'word',
    },
  },
  ...strimziEntries,
];

/** A number of degrees: below the most, or the most without a fraction. @param {string} below @param {string} most */
const degrees = (below, most) => `-?(?:(?:${below})(?:[.][0-9]{1,9})?|${most}(?:[.]0{1,9})?)`;

/** What `helm test` asks. @type {readonly Entry[]} */
export const testEntries = [
  {
    ...flag,
    path: 'tests.doctor.enabled',
    about: 'Whether `helm test` looks at credentials and topics (`ranger-relay doctor`)',
    default: true,
    probe: { set: false, at: 'Pod/-test-doctor#', shows: false },
  },
  {
    ...flag,
    path: 'tests.probe.enabled',
    about: 'Whether `helm test` sends a marked test event through the whole chain (`ranger-relay probe`)',
    default: true,
    probe: { set: false, at: 'Pod/-test-probe#', shows: false },
  },
  {
    schema: { type: 'string', pattern: `^(?:${patterns.httpAddress.slice(1, -1)})?$`, maxLength: 2_000 },
    takes: 'an address like https://host/path, or nothing',
    path: 'tests.probe.url',
    about: 'Address of the webhook; the Service inside the cluster when empty',
    default: '',
    probe: { set: 'https://relay.example/webhooks', at: `${probePod}.env[name=PROBE_URL].value` },
  },
  {
    ...text(100),
    path: 'tests.probe.integration',
    about: 'Integration that the test event is of; one of the webhook’s tokens file when empty',
    default: '',
    probe: { set: 'park', at: `${probePod}.env[name=PROBE_INTEGRATION].value` },
  },
  {
    ...secretRef,
    path: 'tests.probe.token',
    about: 'Token of that integration; needed where the tokens file holds digests alone',
    probe: {
      set: { name: 'probe-secret', key: 'word' },
      with: { 'tests.probe.integration': 'park' },
      at: secretOf('Pod/-test-probe#spec', 'probe-secret'),
      shows: 'word',
    },
  },
  {
    ...whole(5, 3_600),
    path: 'tests.probe.deadlineSeconds',
    about: 'How long the test event may take to its acceptance',
    default: 60,
    probe: { set: 77, at: `${probePod}.args[=--deadline=77s]`, shows: '--deadline=77s' },
  },
  {
    ...matching(
      'two numbers of degrees like -1.2861,36.8172',
      `^${degrees('[0-9]|[0-8][0-9]', '90')},${degrees('[0-9]|[0-9][0-9]|0[0-9][0-9]|1[0-7][0-9]', '180')}$`,
    ),
    path: 'tests.probe.position',
    about: 'Where the test event says to be; by default in the sea, far from every park',
    default: '0,0',
    probe: { set: '-1.5,36', at: `${probePod}.args[=--position=-1.5,36]`, shows: '--position=-1.5,36' },
  },
];

/** Login of the tests, who read every topic. @type {readonly Entry[]} */
export const toolEntries = [
  {
    ...text(),
    path: 'tasks.kafka.sasl.username',
    about: 'User of the tests at the brokers, who may read every topic; that of global.kafka when empty',
    default: '',
    probe: {
      set: 'tool',
      with: { ...login, 'tasks.kafka.sasl.password': { name: 's', key: 'k' } },
      at: `${probePod}.env[name=KAFKA_SASL_USERNAME].value`,
    },
  },
  {
    ...secretRef,
    path: 'tasks.kafka.sasl.password',
    about: 'Password of that user',
    probe: {
      set: { name: 'probe-secret', key: 'word' },
      with: login,
      at: secretOf('Pod/-test-probe#spec', 'probe-secret'),
      shows: 'word',
    },
  },
];

/** The volume of the embedded mode. @type {readonly Entry[]} */
export const persistenceEntries = [
  {
    ...flag,
    path: 'embedded.persistence.enabled',
    about: 'Whether what is stored outlives the pod, on a claim; without it all of it goes with the pod',
    default: true,
    probe: { set: false, with: { 'embedded.enabled': true }, at: 'StatefulSet#spec.volumeClaimTemplates', shows: null },
  },
  {
    ...matching('a size like 1Gi', '^[1-9][0-9]{0,5}(?:Mi|Gi|Ti)$'),
    path: 'embedded.persistence.size',
    about: 'Size of the claim, or the most that the pod’s own volume takes',
    default: '5Gi',
    probe: {
      set: '7Gi',
      with: { 'embedded.enabled': true },
      at: 'StatefulSet#spec.volumeClaimTemplates[0].spec.resources.requests.storage',
    },
  },
  {
    ...nameOrNothing,
    path: 'embedded.persistence.storageClassName',
    about: 'Class of the claim; the cluster’s default one when empty',
    default: '',
    probe: {
      set: 'probe',
      with: { 'embedded.enabled': true },
      at: 'StatefulSet#spec.volumeClaimTemplates[0].spec.storageClassName',
    },
  },
  {
    ...nameOrNothing,
    path: 'embedded.persistence.existingClaim',
    about: 'A claim that is there already, instead',
    default: '',
    probe: {
      set: 'probe',
      with: { 'embedded.enabled': true },
      at: 'StatefulSet#spec.template.spec.volumes[name=data].persistentVolumeClaim.claimName',
    },
  },
  {
    ...texts,
    path: 'embedded.persistence.annotations',
    about: 'Annotations of the claim',
    default: {},
    probe: {
      set: { probe: 'x' },
      with: { 'embedded.enabled': true },
      at: 'StatefulSet#spec.volumeClaimTemplates[0].metadata.annotations',
    },
  },
];

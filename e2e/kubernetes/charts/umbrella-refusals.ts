import { leastFile } from './least.ts';

const ref = { name: 'other', key: 'KEY' };
/** Values of the umbrella chart that cannot work: what, files of values, values, and words of the one sentence. */
export const refused: readonly (readonly [string, readonly string[], Readonly<Record<string, unknown>>, RegExp])[] = [
  [
    'brokers in the wrong place',
    [leastFile],
    { 'kafka.brokers': 'x:1' },
    /write it under global.*global\.kafka\.brokers/,
  ],
  [
    'one process and brokers',
    [leastFile],
    { 'embedded.enabled': true },
    /one process keeps its own bus, so remove one/,
  ],
  [
    'half a platform',
    [],
    { 'embedded.enabled': true, 'global.platform.apiUrl': 'https://x' },
    /sensorsUrl is not set, but global\.platform\.apiUrl is/,
  ],
  [
    'Strimzi without a Kafka',
    [leastFile],
    { 'kafka.topics.mode': 'strimzi' },
    /strimzi\.cluster does not name the Kafka/,
  ],
  [
    'a user of Strimzi that is called like our Secret',
    ['ci/strimzi-values.yaml'],
    { 'kafka.topics.strimzi.namespace': '', 'global.secretName': 'message-pusher' },
    /a Secret is called message-pusher, which is also a user: Strimzi would replace it/,
  ],
  [
    'a Secret of a service that is called like its user',
    ['ci/strimzi-values.yaml'],
    {
      'kafka.topics.strimzi.namespace': '',
      'message-pusher.secrets.AUTH_TOKEN': { name: 'message-pusher', key: 'AUTH_TOKEN' },
    },
    /a Secret is called message-pusher, which is also a user/,
  ],
  [
    'a login that Strimzi makes for nobody',
    ['ci/strimzi-values.yaml'],
    { 'tasks.kafka.sasl.username': 'ranger-relay' },
    /tasks\.kafka\.sasl\.username is ranger-relay, but Strimzi makes .*ranger-relay-tools/,
  ],
  [
    'a forwarder that may go, and an alert that it has gone',
    ['ci/keda-values.yaml'],
    { 'global.prometheusRule.enabled': true, 'observation-forwarder.keda.minReplicas': 0 },
    /wakes somebody whenever no pod of it is left/,
  ],
  [
    'one process whose door trusts nobody',
    [],
    { 'embedded.enabled': true, 'embedded.config.WEBHOOK_AUTH': 'gateway' },
    /WEBHOOK_TRUSTED_PROXIES does not say/,
  ],
  [
    'one process with tokens for nobody',
    [],
    { 'embedded.enabled': true, 'embedded.config.AUTH_MODE': 'oidc' },
    /\(embedded, or global\): config\.AUTH_MODE is oidc, but config\.PUSHER_SERVICE_URL is not set, which is the audience/,
  ],
  [
    'one process of another image each day',
    [],
    { 'embedded.enabled': true, 'global.image.tag': 'latest' },
    /image\.tag is latest/,
  ],
  [
    'one process that nobody may look at',
    [],
    { 'embedded.enabled': true, 'global.serviceMonitor.enabled': true },
    /networkPolicy\.metrics\.from lets nobody read/,
  ],
  [
    'one process with another volume called like its own',
    [],
    { 'embedded.enabled': true, 'embedded.extraVolumes': [{ name: 'data' }] },
    /\(embedded\): extraVolumes gives data, which the pod has without it; take another name/,
  ],
  [
    'a mount over the volume of the one process',
    [],
    { 'embedded.enabled': true, 'embedded.extraVolumeMounts': [{ name: 'a', mountPath: '/data' }] },
    /\(embedded\): extraVolumeMounts gives \/data, which the pod has without it; take another path/,
  ],
  [
    'another label of the one process by which it is found',
    [],
    { 'embedded.enabled': true, 'embedded.podLabels': { 'app.kubernetes.io/component': 'x' } },
    /\(embedded\): podLabels gives app\.kubernetes\.io\/component, which the chart gives itself/,
  ],
  [
    'another label of the dashboards of a service in the one process',
    [],
    { 'embedded.enabled': true, 'action-runner.dashboards.labels': { 'app.kubernetes.io/part-of': 'x' } },
    /action-runner: dashboards\.labels gives app\.kubernetes\.io\/part-of, which the chart gives itself/,
  ],
  [
    'a test beside the one process with another volume called like that one’s',
    [],
    { 'embedded.enabled': true, 'tasks.extraVolumes': [{ name: 'data' }] },
    /\(tasks\): extraVolumes gives data, which the pod has without it/,
  ],
  [
    'a user without a login',
    [leastFile],
    { 'kafka.topics.sasl.username': 'x' },
    /global\.kafka\.sasl\.mechanism is none/,
  ],
  ['a password without a login', [leastFile], { 'tasks.kafka.sasl.password': ref }, /tasks\.kafka\.sasl gives a login/],
  [
    'a login without a user',
    [leastFile],
    { 'global.kafka.sasl.mechanism': 'plain' },
    /nor tasks\.kafka\.sasl\.username is set/,
  ],
  [
    'a user with the password of another',
    [leastFile],
    {
      'global.kafka.sasl': { mechanism: 'plain', username: 'relay', password: ref },
      'kafka.topics.sasl.username': 'admin',
    },
    /username is admin, but its password is that of global\.kafka\.sasl; give kafka\.topics\.sasl\.password/,
  ],
  [
    'tasks that ask for more than their limit',
    [leastFile],
    { 'tasks.resources.requests.memory': '1Gi' },
    /tasks\.resources\.requests\.memory \(1Gi\) is above tasks\.resources\.limits\.memory \(256Mi\)/,
  ],
  [
    'a topic that one service alone knows',
    [leastFile],
    { 'webhook-ingester.config.INTEGRATION_EVENTS_TOPIC': 'other' },
    /set it as global\.config\.INTEGRATION_EVENTS_TOPIC/,
  ],
  [
    'a prefix that one service alone knows',
    [leastFile],
    { 'webhook-ingester.kafka.prefix': 'other-' },
    /topics and tests go by global\.kafka\.prefix/,
  ],
  [
    'two topics of one name',
    ['ci/strimzi-values.yaml'],
    { 'global.config.INTEGRATION_EVENTS_TOPIC': 'source-events' },
    /two topics would be the KafkaTopic source-events/,
  ],
  [
    'a topic of a name that brokers do not take',
    [leastFile],
    {
      'kafka.topics': { mode: 'strimzi', strimzi: { cluster: 'kafka' } },
      'global.kafka.prefix': 'p'.repeat(100),
      'global.config.INTEGRATION_EVENTS_TOPIC': 't'.repeat(200),
    },
    /is longer than the 249 characters that brokers take/,
  ],
  [
    'one process and half a platform',
    [],
    { 'embedded.enabled': true, 'global.platform.clientSecret': ref },
    /apiUrl is not set, but global\.platform\.clientSecret is/,
  ],
  [
    'one process on a port of a node that its Service does not open',
    [],
    { 'embedded.enabled': true, 'embedded.service.nodePort': 30_000 },
    /service\.type is ClusterIP/,
  ],
  [
    'one process whose volume is smaller than what it asks for',
    [],
    { 'embedded.enabled': true, 'embedded.persistence.enabled': false, 'embedded.persistence.size': '5Mi' },
    /ephemeral-storage \(16Mi\) is above resources\.limits\.ephemeral-storage \(5Mi\)/,
  ],
  ['no brokers', [], {}, /give it here or as global\.kafka\.brokers/],
  ['an unknown value', [leastFile], { nonsense: 1 }, /nonsense/],
];

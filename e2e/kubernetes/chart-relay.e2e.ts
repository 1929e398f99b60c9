import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { run } from '../src/harness/product.ts';
import { leastFile, valuesOf } from './charts/least.ts';
import type { KubeObject } from './charts/objects.ts';
import { mustRender, renderChart, type Rendering } from './charts/render.ts';
import { openTools } from './harness/node.ts';

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

const rendered = (files: readonly string[], values: Readonly<Record<string, unknown>> = {}): Promise<Rendering> =>
  renderChart(node.env, 'ranger-relay', { files, values: valuesOf(values), release: 'ranger-relay' });

const objectsOf = async (
  files: readonly string[],
  values: Readonly<Record<string, unknown>> = {},
): Promise<readonly KubeObject[]> => (await mustRender(rendered(files, values))).objects;

const isHook = ({ metadata }: KubeObject): boolean => metadata.annotations?.['helm.sh/hook'] !== undefined;
const named = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

/** Values that cannot work and that neither a service nor Kubernetes refuses: what, files of values, values, words of the one sentence. */
const refused: readonly (readonly [string, readonly string[], Readonly<Record<string, unknown>>, RegExp])[] = [
  ['no store', [leastFile], { 'redis.host': '' }, /redis\.host is not set, nor redis\.sentinels\.nodes/],
  ['one process and brokers', [leastFile], { 'embedded.enabled': true }, /one process keeps its own, so remove one/],
  ['Strimzi without a Kafka', [leastFile], { 'kafka.topics.mode': 'strimzi' }, /cluster does not name the Kafka/],
  [
    'a user of Strimzi that is called like our Secret',
    ['ci/strimzi-values.yaml'],
    { 'kafka.topics.strimzi.namespace': '', secretName: 'message-pusher' },
    /secretName is message-pusher, which is also a user: Strimzi would replace/,
  ],
  [
    'one process that nobody may look at',
    [],
    { 'embedded.enabled': true, 'serviceMonitor.enabled': true },
    /networkPolicy\.metrics\.from lets nobody read/,
  ],
  [
    'two scalers',
    [leastFile],
    { 'pusher.autoscaling.enabled': true, 'pusher.keda.enabled': true },
    /would undo each other; keep one of them/,
  ],
  [
    'a budget that keeps every pod',
    [leastFile],
    { 'forwarder.podDisruptionBudget.minAvailable': 1 },
    /forwarder.*so no node could be drained; use maxUnavailable/,
  ],
  ['an Ingress for no host', [leastFile], { 'ingester.ingress.enabled': true }, /ingress\.hosts names no host/],
  ['a route through no Gateway', [leastFile], { 'ingester.httpRoute.enabled': true }, /parentRefs names no Gateway/],
  [
    'memory without room for a heap',
    [leastFile],
    { 'ingester.resources.limits.memory': '200Mi' },
    /ingester.* leaves no heap beside the 192 MiB .* set at least 256Mi/,
  ],
  [
    'no limit of memory',
    [leastFile],
    { 'resources.limits.memory': null, 'pusher.enabled': true },
    /the heap of the process/,
  ],
  [
    'KEDA for what reads no topic',
    [leastFile],
    { 'ingester.keda.enabled': true },
    /'\/ingester'[^]*invalid propertyName 'keda'/,
  ],
  [
    'an Ingress for what takes no requests',
    [leastFile],
    { 'forwarder.ingress.enabled': true },
    /'\/forwarder'[^]*invalid propertyName 'ingress'/,
  ],
  [
    'topics of one service',
    [leastFile],
    { 'pusher.kafka.topics.mode': 'none' },
    /'\/pusher'[^]*invalid propertyName 'topics'/,
  ],
  ['brokers for one process', [], { 'embedded.kafka.brokers': 'x:1' }, /'\/embedded'[^]*invalid propertyName 'kafka'/],
  ['a claim of a service', [leastFile], { 'pusher.persistence.enabled': true }, /invalid propertyName 'persistence'/],
  ['replicas of every service', [leastFile], { replicas: 3 }, /invalid propertyName 'replicas'/],
  [
    'a prefix of one service',
    [leastFile],
    { 'pusher.kafka.prefix': 'north.' },
    /'\/pusher'[^]*invalid propertyName 'prefix'/,
  ],
  [
    'users without the operator that makes them',
    [leastFile],
    { 'kafka.topics.strimzi.users.enabled': true },
    /kafka\.topics\.mode is job; set it to strimzi, or users\.enabled to false/,
  ],
  [
    'schedules without a pod that starts them',
    [leastFile],
    { 'runner.keda': { enabled: true, minReplicas: 0 } },
    /runner\.keda\.minReplicas is 0, .*; set it to 1, or runner\.config\.SCHEDULER to platform/,
  ],
  [
    'a scaler without a target',
    [leastFile],
    { 'pusher.autoscaling': { enabled: true, targetCPU: null }, 'autoscaling.targetCPU': null },
    /pusher\.autoscaling has neither targetCPU nor targetMemory; set one of them/,
  ],
  [
    'a budget without a number',
    [leastFile],
    { 'podDisruptionBudget.maxUnavailable': null },
    /podDisruptionBudget has neither maxUnavailable nor minAvailable; set one of them/,
  ],
  [
    'a heap above the limit of memory',
    [leastFile],
    { 'ingester.heapMiB': 400 },
    /ingester: heapMiB is 400, but .* 512Mi, of which buffers and code take 192 MiB; set heapMiB to at most 320/,
  ],
  [
    'egress without a port, which would be to every port',
    [leastFile],
    { 'forwarder.networkPolicy.internet.ports': [] },
    /networkPolicy\/internet\/ports.*minItems/,
  ],
  [
    'no port for DNS, which would be every port',
    [leastFile],
    { 'forwarder.networkPolicy.dns.ports': null },
    /networkPolicy\/dns\/ports.*got null, want array/,
  ],
  ['an image of another version each day', [leastFile], { 'image.tag': 'latest' }, /image/],
  ['a value that the schema does not know', [leastFile], { 'pusher.nonsense': 1 }, /nonsense/],
  ['a value of a shared setting that the schema does not know', [leastFile], { 'kafka.nonsense': 1 }, /nonsense/],
  [
    'a variable that a template writes itself',
    [leastFile],
    { 'runner.config.STOP_GRACE_S': 9 },
    /'\/runner'[^]*invalid propertyName 'STOP_GRACE_S'/,
  ],
];

for (const [what, files, values, says] of refused)
  test.serial(`${what}: refused with one sentence`, async (t) => {
    const rendering = await rendered(files, values);
    t.false(rendering.ok);
    if (!rendering.ok) t.regex(rendering.problem, says);
  });

test.serial(
  'six settings are enough where Kafka and Redis are there, and names are those of release and service',
  async (t) => {
    const objects = await objectsOf([leastFile]);
    const deployments = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
    t.deepEqual(deployments.toSorted(), [
      'ranger-relay-action-runner',
      'ranger-relay-message-pusher',
      'ranger-relay-observation-forwarder',
      'ranger-relay-webhook-ingester',
    ]);
    t.is(new Set(objects.map(named)).size, objects.length);
  },
);

test.serial(
  'the Job for the topics needs no other object of the chart than those that are made before it',
  async (t) => {
    for (const files of [[leastFile], ['ci/tls-sasl-values.yaml']]) {
      const objects = await objectsOf(files);
      const job = objects.find((object) => named(object) === 'Job/ranger-relay-topics');
      const text = JSON.stringify(job?.spec);
      t.is(job?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
      const ordinary = objects.filter((object) => !isHook(object)).map(({ metadata }) => metadata.name);
      for (const name of new Set(ordinary)) t.false(text.includes(`"${name}"`), name);
    }
  },
);

test.serial('one switch makes it one process: no service of its own, no broker, no store, one volume', async (t) => {
  const objects = await objectsOf([], { 'embedded.enabled': true });
  const workloads = objects.filter(({ kind }) => ['Deployment', 'Job', 'StatefulSet', 'CronJob'].includes(kind));
  t.deepEqual(workloads.map(named).toSorted(), ['Job/ranger-relay-config-check', 'StatefulSet/ranger-relay']);
  t.notRegex(JSON.stringify(objects), /KAFKA_|KV_HOST|secretName/);
});

const specs = (all: readonly KubeObject[]): ReadonlyMap<string, unknown> =>
  new Map(all.filter(({ kind }) => kind.startsWith('Kafka')).map((object) => [named(object), object.spec]));

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

test.serial('a reference of one service is not filled up from the shared one', async (t) => {
  const objects = await objectsOf([leastFile], {
    'kafka.tls.enabled': true,
    'kafka.tls.ca': { name: 'shared', key: 'shared.crt', kind: 'ConfigMap' },
    'kafka.tls.certificate': { name: 'shared', certKey: 'user.crt', keyKey: 'user.key' },
    'pusher.kafka.tls.ca': { name: 'own', key: 'ca.crt' },
    'pusher.kafka.tls.certificate': { name: 'own' },
  });
  const specOf = (service: string): string =>
    JSON.stringify(objects.find((object) => named(object) === `Deployment/ranger-relay-${service}`)?.spec);
  for (const word of ['shared', 'user.crt', 'user.key', 'configMap'])
    t.deepEqual([specOf('action-runner').includes(word), specOf('message-pusher').includes(word)], [true, false], word);
  for (const word of ['"own"', 'ca.crt', 'tls.crt', 'tls.key']) t.true(specOf('message-pusher').includes(word), word);
});

/** What tells Prometheus and Grafana of an installation. */
const watchers = (objects: readonly KubeObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'PrometheusRule' || kind === 'ConfigMap')
    .map(named)
    .toSorted();

test.serial('one process is watched by the alerts and dashboards of all services', async (t) => {
  const watching = { 'prometheusRule.enabled': true, 'dashboards.enabled': true };
  const [together, apart] = [
    await objectsOf([], { 'embedded.enabled': true, ...watching }),
    await objectsOf([leastFile], watching),
  ];
  t.is(watchers(together).length, 10);
  t.deepEqual(watchers(together), watchers(apart));
});

/** The same text for values that differ only in the order of keys and rights. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'acls' && Array.isArray(inner)) return inner.toSorted(byText);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(byText));
  });

test.serial('the topics and users for Strimzi are those that the command prints', async (t) => {
  const ours = specs(await objectsOf(['ci/strimzi-values.yaml']));
  const { stdout, code } = await run(['topics', 'strimzi', '--cluster', 'events', '--replicas', '3']);
  t.is(code, 0);
  const printed = specs(parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject));
  t.deepEqual([...ours.keys()].toSorted(), [...printed.keys()].toSorted());
  for (const [name, spec] of printed) t.is(inOrder(ours.get(name)), inOrder(spec), name);
});

test.serial('objects for Strimzi are of the newest version that the cluster serves', async (t) => {
  const [old, present] = ['kafka.strimzi.io/v1beta2/KafkaTopic', 'kafka.strimzi.io/v1/KafkaTopic'];
  for (const [serves, api, version] of [
    [[], '', 'v1'],
    [[present], '', 'v1'],
    [[old, present], '', 'v1'],
    [[old], '', 'v1beta2'],
    [[old, present], 'v1beta2', 'v1beta2'],
  ] as const) {
    const values = { kafka: { topics: { strimzi: { api } } } };
    const input = { files: ['ci/strimzi-values.yaml'], values, serves };
    const { objects } = await mustRender(renderChart(node.env, 'ranger-relay', input));
    const theirs = objects.filter(({ kind }) => kind.startsWith('Kafka'));
    const versions = new Set(theirs.map(({ apiVersion }) => apiVersion));
    t.deepEqual([...versions], [`kafka.strimzi.io/${version}`], serves.join());
  }
});

const services = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'];

/** Variables of the brokers, and the Secret that the login comes from. */
const loginOf = (objects: readonly KubeObject[], name: string): string => {
  const found = objects.find((object) => named(object) === name);
  const text = JSON.stringify(found?.spec);
  const user = /"KAFKA_SASL_USERNAME","value":"([^"]+)"/.exec(text)?.[1] ?? 'nobody';
  const secrets = [...text.matchAll(/"secret":\{"name":"([^"]+)","items":\[\{"key":"(?:password|user\.crt)"/g)];
  return `${user} by ${[...new Set(secrets.map(([, secret]) => secret))].join()}`;
};

test.serial('each service, and the tests, log in as the user that Strimzi makes for them', async (t) => {
  const file = 'ci/strimzi-values.yaml';
  const pods = [...services.map((name) => `Deployment/ranger-relay-${name}`), 'Pod/ranger-relay-test-doctor'];
  const users = [...services, 'ranger-relay-tools'];
  const scram = await objectsOf([file], { 'kafka.prefix': 'north.' });
  const loginsOf = (objects: readonly KubeObject[]): readonly string[] => pods.map((pod) => loginOf(objects, pod));
  const prefixed = users.map((user) => `north.${user} by north.${user}`);
  t.deepEqual(loginsOf(scram), prefixed);
  for (const user of users) t.true(scram.some((object) => named(object) === `KafkaUser/north.${user}`));
  const tls = await objectsOf([file], { 'kafka.topics.strimzi.users.authentication': 'tls' });
  const unnamed = users.map((user) => `nobody by ${user}`);
  t.deepEqual(loginsOf(tls), unnamed);
  const own = { username: 'own', password: { name: 'own', key: 'password' } };
  const kept = await objectsOf([file], { 'pusher.kafka.sasl': { mechanism: 'scram-sha-512', ...own } });
  t.is(loginOf(kept, 'Deployment/ranger-relay-message-pusher'), 'own by own');
  t.is(loginOf(kept, 'Deployment/ranger-relay-action-runner'), 'action-runner by action-runner');
  const shared = await objectsOf([file], { 'kafka.sasl': { mechanism: 'plain', ...own } });
  for (const pod of pods) t.is(loginOf(shared, pod), 'own by own');
});

/** What is rendered for a release of that name, or why nothing is. */
const namesOf = async (name: string): Promise<readonly string[]> => {
  const rendering = await renderChart(node.env, 'ranger-relay', { files: [leastFile], release: name });
  return rendering.ok ? rendering.objects.map(named) : [rendering.problem];
};

test.serial('two parts of one release never have one name, however it is called', async (t) => {
  for (const length of [30, 40, 44, 46, 50, 53]) {
    const found = await namesOf('r'.repeat(length));
    t.is(new Set(found).size, found.length, `${length} characters`);
    t.true(found.length > 20);
  }
});

test.serial('a service without a policy is left out of what denies the rest', async (t) => {
  const objects = await objectsOf([leastFile], { 'ingester.networkPolicy.enabled': false });
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  const others = { key: 'app.kubernetes.io/component', operator: 'NotIn', values: ['webhook-ingester'] };
  const components = { matchExpressions: [others] };
  for (const { metadata, spec } of policies)
    if (metadata.name.endsWith('default-deny')) t.like(spec, { podSelector: components });
    else t.notRegex(metadata.name, /webhook-ingester|probe-webhook/);
  t.is(policies.filter(({ metadata }) => metadata.name.endsWith('default-deny')).length, 1);
});

test.serial('where no service is installed nothing asks for brokers', async (t) => {
  const off = ['ingester', 'forwarder', 'pusher', 'runner'];
  const kinds = (await objectsOf([], Object.fromEntries(off.map((name) => [`${name}.enabled`, false])))).map(
    ({ kind }) => kind,
  );
  t.deepEqual(kinds, ['NetworkPolicy']);
});

test.serial('one process needs no Secret that only services of their own need', async (t) => {
  const objects = await objectsOf([], { 'embedded.enabled': true, secretName: '' });
  t.true(objects.some(({ kind }) => kind === 'StatefulSet'));
});

test.serial('tests have the password of the Sentinels with their user', async (t) => {
  const objects = await objectsOf([leastFile], {
    redis: { host: '', sentinels: { nodes: 'sentinel:26379', username: 'relay' } },
  });
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  t.is(pods.length, 2);
  for (const pod of pods) t.true(JSON.stringify(pod).includes('KV_SENTINEL_PASSWORD_FILE'), pod.metadata.name);
});

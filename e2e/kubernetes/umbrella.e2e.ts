import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { run } from '../src/harness/product.ts';
import type { KubeObject } from './charts/objects.ts';
import { renderChart, type Rendering } from './charts/render.ts';
import { valuesOf } from './charts/specs.ts';
import { openNode, type KubernetesNode } from './harness/node.ts';

const least = 'ci/default-values.yaml';
let node: KubernetesNode;
test.before(async (t) => {
  node = await openNode(t);
});

const rendered = (files: readonly string[], values: Readonly<Record<string, unknown>> = {}): Promise<Rendering> =>
  renderChart(node.env, 'ranger-relay', { files, values: valuesOf(values), release: 'ranger-relay' });

const objectsOf = async (
  files: readonly string[],
  values: Readonly<Record<string, unknown>> = {},
): Promise<readonly KubeObject[]> => {
  const rendering = await rendered(files, values);
  if (!rendering.ok) throw new Error(rendering.problem);
  return rendering.objects;
};

const isHook = ({ metadata }: KubeObject): boolean => metadata.annotations?.['helm.sh/hook'] !== undefined;
const named = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

const refused: readonly (readonly [string, readonly string[], Readonly<Record<string, unknown>>, RegExp])[] = [
  ['brokers in the wrong place', [least], { 'kafka.brokers': 'x:1' }, /write it under global.*global\.kafka\.brokers/],
  ['one process and brokers', [least], { 'embedded.enabled': true }, /one process keeps its own bus, so remove one/],
  [
    'half a platform',
    [],
    { 'embedded.enabled': true, 'global.platform.apiUrl': 'https://x' },
    /sensorsUrl is not set, but global\.platform\.apiUrl is/,
  ],
  ['Strimzi without a Kafka', [least], { 'kafka.topics.mode': 'strimzi' }, /strimzi\.cluster does not name the Kafka/],
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
  ['a user without a login', [least], { 'kafka.topics.sasl.username': 'x' }, /global\.kafka\.sasl\.mechanism is none/],
  ['no brokers', [], {}, /give it here or as global\.kafka\.brokers/],
  ['an unknown value', [least], { nonsense: 1 }, /nonsense/],
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
    const objects = await objectsOf([least]);
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
    for (const files of [[least], ['ci/tls-sasl-values.yaml']]) {
      const objects = await objectsOf(files);
      const job = objects.find((object) => named(object) === 'Job/ranger-relay-topics');
      const text = JSON.stringify(job?.spec);
      t.is(job?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
      const ordinary = objects.filter((object) => !isHook(object)).map(({ metadata }) => metadata.name);
      for (const name of new Set(ordinary)) t.false(text.includes(`"${name}"`), name);
      const account = objects.find((object) => named(object) === 'ServiceAccount/ranger-relay-topics');
      t.true(Number(account?.metadata.annotations?.['helm.sh/hook-weight']) < 0);
    }
  },
);

test.serial('one switch makes it one process: no service of its own, no broker, no store, one volume', async (t) => {
  const objects = await objectsOf([], { 'embedded.enabled': true });
  t.deepEqual(objects.filter(({ kind }) => ['Deployment', 'Job', 'StatefulSet', 'CronJob'].includes(kind)).map(named), [
    'StatefulSet/ranger-relay',
  ]);
  t.notRegex(JSON.stringify(objects), /KAFKA_|KV_HOST|secretName/);
});

const specs = (all: readonly KubeObject[]): ReadonlyMap<string, unknown> =>
  new Map(all.filter(({ kind }) => kind.startsWith('Kafka')).map((object) => [named(object), object.spec]));

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

test.serial('a reference of one service is not filled up from the global one', async (t) => {
  const objects = await objectsOf([least], {
    'global.kafka.tls.enabled': true,
    'global.kafka.tls.ca': { name: 'shared', key: 'shared.crt', kind: 'ConfigMap' },
    'global.kafka.tls.certificate': { name: 'shared', certKey: 'user.crt', keyKey: 'user.key' },
    'message-pusher.kafka.tls.ca': { name: 'own', key: 'ca.crt' },
    'message-pusher.kafka.tls.certificate': { name: 'own' },
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
  const watching = { 'global.prometheusRule.enabled': true, 'global.dashboards.enabled': true };
  const [together, apart] = [
    await objectsOf([], { 'embedded.enabled': true, ...watching }),
    await objectsOf([least], watching),
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

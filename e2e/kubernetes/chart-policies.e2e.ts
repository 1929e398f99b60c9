import test from 'ava';
import { podsOf } from './charts/invariants/pods.ts';
import { renderLeast } from './charts/least.ts';
import type { KubeObject } from './charts/objects.ts';
import { mustRender } from './charts/render.ts';
import { openTools } from './harness/node.ts';
import type { End, Policy } from './policies/model.ts';
import { passes } from './policies/passes.ts';

const namespaceOf = (name: string): NonNullable<End['namespace']> => ({
  name,
  labels: { 'kubernetes.io/metadata.name': name },
});

/** A pod that is not of the release. */
export const podIn = (namespace: string, name: string, labels: End['labels'] = {}): End => ({
  name,
  address: '10.244.1.9',
  namespace: namespaceOf(namespace),
  labels,
});

/** An address outside the cluster. */
export const outsideAt = (address: string): End => ({ name: address, address });

/** The pods of a rendering, by component. */
export const endsOf = (objects: readonly KubeObject[]): Readonly<Record<string, End>> =>
  Object.fromEntries(
    podsOf(objects).map(({ labels, spec }, index) => {
      const name = labels['app.kubernetes.io/component'] ?? '';
      const ports = spec.containers.flatMap((container) => container.ports ?? []);
      const named = Object.fromEntries(ports.map(({ name: port, containerPort }) => [port ?? '', containerPort]));
      const end = { name, address: `10.244.0.${index + 2}`, namespace: namespaceOf('relay'), labels, ports: named };
      return [name, end];
    }),
  );

/** The policies of a rendering. */
export const policiesOf = (objects: readonly KubeObject[]): readonly Policy[] =>
  objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly Policy[];

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

const others: Readonly<Record<string, End>> = {
  gateway: podIn('ingress', 'gateway'),
  prometheus: podIn('monitoring', 'prometheus'),
  intruder: podIn('elsewhere', 'intruder'),
  neighbour: podIn('relay', 'neighbour'),
  kafka: podIn('data', 'kafka'),
  redis: podIn('data', 'redis'),
  dns: podIn('kube-system', 'dns', { 'k8s-app': 'kube-dns' }),
  dashboard: podIn('kube-system', 'dashboard', { 'k8s-app': 'dashboard' }),
  internet: outsideAt('203.0.113.5'),
  intranet: outsideAt('10.1.2.3'),
  metadata: outsideAt('169.254.169.254'),
};

const services = 'webhook-ingester observation-forwarder message-pusher action-runner';

/** Who may call what, written by hand: `called:port[/protocol]` → callers; everybody else is refused. */
type Table = Readonly<Record<string, string>>;

/** With the ingress controller and Prometheus named, as the README tells. */
const inward: Table = {
  'webhook-ingester:8081': 'gateway test-probe',
  'webhook-ingester:9090': 'prometheus',
  'webhook-ingester:8080': '',
  'observation-forwarder:9090': 'prometheus',
  'observation-forwarder:8084': '',
  'message-pusher:8082': 'gateway',
  'message-pusher:9090': 'prometheus',
  'action-runner:8083': 'gateway',
  'action-runner:9090': 'prometheus',
  'topics:9090': '',
  'test-doctor:9090': '',
  'test-probe:9090': '',
};

const outward: Table = {
  'kafka:9092': `${services} topics test-doctor test-probe`,
  'kafka:9093': '',
  'redis:6379': `${services} test-doctor test-probe`,
  'redis:22': '',
  'dns:53/UDP': `${services} topics test-doctor test-probe`,
  'dns:53': `${services} topics test-doctor test-probe`,
  'dns:443': '',
  'dashboard:53': '',
  'internet:443': `${services} test-doctor`,
  'internet:80': '',
  'intranet:443': '',
  'metadata:80': '',
  'metadata:443': '',
  'intruder:443': '',
  'neighbour:443': '',
};

const monitoring = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];

const places = {
  'networkPolicy.http.from': [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
  'networkPolicy.metrics.from': monitoring,
};

/** The rendering's own ends and a function that says who reaches what. */
const harness = async (values: Readonly<Record<string, unknown>>, chart = 'ranger-relay') => {
  const { objects } = await mustRender(renderLeast(node.env, chart, values));
  const [own, policies] = [endsOf(objects), policiesOf(objects)];
  const all: Readonly<Record<string, End>> = { ...others, ...own };
  const callersOf = (called: string, callers: readonly string[]): string => {
    const [, name = '', port, protocol = 'TCP'] = /^([^:]+):(\d+)(?:\/(\w+))?$/.exec(called) ?? [];
    const to = all[name]!;
    return callers
      .filter((from) => from !== name && passes(policies, { from: all[from]!, to, port: Number(port), protocol }))
      .toSorted()
      .join(' ');
  };
  return { own: Object.keys(own), all: Object.keys(all), callersOf };
};

const sorted = (names: string): string => names.split(' ').toSorted().join(' ').trim();

test.serial('who is called, is called by those whom the table names and by nobody else', async (t) => {
  const { all, callersOf } = await harness(places);
  for (const [called, callers] of Object.entries(inward)) t.is(callersOf(called, all), sorted(callers), called);
});

test.serial('pods of the release call what the table names and nothing else', async (t) => {
  const { own, callersOf } = await harness(places);
  t.deepEqual(own.toSorted(), `${services} config-check topics test-doctor test-probe`.split(' ').toSorted());
  for (const [called, callers] of Object.entries(outward)) t.is(callersOf(called, own), sorted(callers), called);
});

test.serial(
  'as long as nobody is named, pods of the cluster may send requests, nobody from outside, and nobody reads metrics',
  async (t) => {
    const { all, callersOf } = await harness({});
    const addresses = new Set(['internet', 'intranet', 'metadata']);
    // Pods of the release have no business with each other, whatever the called one would take.
    const pods = all.filter((name) => name in others && !addresses.has(name));
    for (const server of ['webhook-ingester:8081', 'message-pusher:8082', 'action-runner:8083']) {
      const probe = server.startsWith('webhook') ? ['test-probe'] : [];
      t.is(callersOf(server, all), [...pods, ...probe].toSorted().join(' '), server);
    }
    for (const component of services.split(' ')) t.is(callersOf(`${component}:9090`, all), '', component);
  },
);

test.serial('names are looked up on every usual kind of cluster, by every pod', async (t) => {
  const servers: Readonly<Record<string, readonly [End, number]>> = {
    'CoreDNS under its own name': [podIn('kube-system', 'coredns', { 'k8s-app': 'coredns' }), 53],
    'a cache on each node': [podIn('kube-system', 'node', { 'k8s-app': 'node-local-dns' }), 53],
    'the address of a cache on each node': [outsideAt('169.254.20.10'), 53],
    OpenShift: [podIn('openshift-dns', 'dns-default'), 5353],
  };
  for (const chart of ['ranger-relay', 'operator', 'patrol-sync']) {
    const { objects } = await mustRender(renderLeast(node.env, chart, {}));
    const [own, policies] = [endsOf(objects), policiesOf(objects)];
    // The check of the configuration looks no name up.
    for (const from of Object.values(own).filter(({ name }) => name !== 'config-check'))
      for (const protocol of ['UDP', 'TCP'])
        for (const [kind, [to, port]] of Object.entries(servers))
          t.true(passes(policies, { from, to, port, protocol }), `${chart}: ${from.name} to ${kind}, ${protocol}`);
  }
});

test.serial('public addresses of both families may be called, private ones of neither', async (t) => {
  const { objects } = await mustRender(renderLeast(node.env, 'ranger-relay', {}));
  const policies = policiesOf(objects);
  const from = endsOf(objects)['observation-forwarder']!;
  const reaches = (address: string): boolean =>
    passes(policies, { from, to: outsideAt(address), port: 443, protocol: 'TCP' });
  for (const open of ['203.0.113.5', '2a00:1450::5', '64:ff9b::cb00:7105']) t.true(reaches(open), open);
  for (const shut of ['10.1.2.3', 'fd00::5', 'fe80::5']) t.false(reaches(shut), shut);
});

test.serial('what is declared may be called, and only there', async (t) => {
  const { own, callersOf } = await harness({
    'networkPolicy.internet.enabled': false,
    'networkPolicy.kafka.to': [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } } }],
    'networkPolicy.egress': [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }], ports: [{ port: 8443 }] }],
  });
  t.is(callersOf('kafka:9092', own), '');
  t.is(callersOf('internet:443', own), '');
  for (const service of services.split(' ')) t.true(callersOf('intranet:8443', own).split(' ').includes(service));
  t.is(callersOf('intranet:443', own), '');
});

test.serial('the operator calls names and the API server, and only Prometheus calls it', async (t) => {
  const { all, callersOf } = await harness({ 'networkPolicy.metrics.from': monitoring }, 'operator');
  const of = ['operator'];
  for (const open of ['intranet:443', 'intranet:6443', 'dns:53/UDP']) t.is(callersOf(open, of), 'operator', open);
  for (const shut of ['intranet:80', 'kafka:9092', 'redis:6379', 'dashboard:53']) t.is(callersOf(shut, of), '', shut);
  t.is(callersOf('operator:9090', all), 'prometheus');
  t.is(callersOf('operator:8085', all), '');
  const narrow = { 'networkPolicy.apiServer.to': [{ ipBlock: { cidr: '10.1.2.3/32' } }] };
  const { callersOf: narrowly } = await harness(narrow, 'operator');
  t.is(narrowly('intranet:443', of), 'operator');
  t.is(narrowly('internet:443', of), '');
  t.is(narrowly('operator:9090', all), '');
});

test.serial(
  'one process is called at its HTTP ports and watched at all its ports, and calls no broker and no store',
  async (t) => {
    const embedded = { 'embedded.enabled': true, 'kafka.brokers': '', 'redis.host': '' };
    const { own, all, callersOf } = await harness({ ...embedded, ...places });
    const inwardHere: Table = {
      'ranger-relay:8080': '',
      'ranger-relay:8081': 'gateway test-probe',
      'ranger-relay:8082': 'gateway',
      'ranger-relay:8083': 'gateway',
      'ranger-relay:8084': 'prometheus',
      'test-probe:9090': '',
    };
    for (const [called, callers] of Object.entries(inwardHere)) t.is(callersOf(called, all), sorted(callers), called);
    const outwardHere: Table = {
      'dns:53/UDP': 'ranger-relay test-doctor test-probe',
      'internet:443': 'ranger-relay test-doctor',
      'internet:80': '',
      'intranet:443': '',
      'metadata:80': '',
      'kafka:9092': '',
      'redis:6379': '',
      'neighbour:443': '',
    };
    for (const [called, callers] of Object.entries(outwardHere)) t.is(callersOf(called, own), sorted(callers), called);
  },
);

test.serial('a test that goes through the Ingress is let out to its address', async (t) => {
  const { callersOf } = await harness({
    'tests.probe.url': 'https://relay.park.example:8443/webhooks',
    'networkPolicy.egress': [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }], ports: [{ port: 8443 }] }],
  });
  t.is(callersOf('intranet:8443', ['test-probe']), 'test-probe');
  t.is(callersOf('internet:443', ['test-probe']), 'test-probe');
  t.is(callersOf('intranet:443', ['test-probe']), '');
});

test.serial('the patrol sync calls names and its site, and nobody calls it', async (t) => {
  const { all, callersOf } = await harness({ 'site.endpoint': 'site.example' }, 'patrol-sync');
  const of = ['patrol-sync'];
  for (const open of ['internet:443', 'dns:53/UDP']) t.is(callersOf(open, of), 'patrol-sync', open);
  const shut = ['internet:80', 'intranet:443', 'metadata:80', 'kafka:9092', 'redis:6379', 'dashboard:53'];
  for (const each of shut) t.is(callersOf(each, of), '', each);
  for (const port of [80, 443, 8080, 9090]) t.is(callersOf(`patrol-sync:${port}`, all), '');
  const { callersOf: near } = await harness({ 'site.endpoint': 'http://10.1.2.3:8090' }, 'patrol-sync');
  t.deepEqual([near('intranet:8090', of), near('internet:443', of)], ['patrol-sync', '']);
});

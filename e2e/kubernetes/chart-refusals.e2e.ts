import test from 'ava';
import { chartSpecs, renderLeast } from './charts/least.ts';
import { place } from './charts/place.ts';
import { openTools } from './harness/node.ts';

const specs = await chartSpecs();

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

const sasl = { 'kafka.sasl.mechanism': 'plain' };
const ref = { name: 's', key: 'k' };

/** What cannot work: chart, values, and words of the one sentence. */
const refusals: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
  ['webhook-ingester', { 'kafka.brokers': '' }, /kafka\.brokers is not set; give it here or as global\.kafka\.brokers/],
  ['webhook-ingester', { 'redis.host': '' }, /redis\.host is not set, nor redis\.sentinels\.nodes/],
  ['webhook-ingester', { 'redis.sentinels.nodes': 's:1' }, /redis\.host and redis\.sentinels\.nodes are both set/],
  ['webhook-ingester', { 'redis.host': 'redis:6379' }, /its port goes to redis\.port/],
  ['webhook-ingester', { 'redis.host': '[fd00::1]:6379' }, /redis\.host is .*, but KV_HOST takes one host/],
  ['webhook-ingester', { 'redis.host': 'redis:63:79' }, /its port goes to redis\.port/],
  [
    'webhook-ingester',
    { 'platform.clientId': 'é'.repeat(2_001) },
    /platform\.clientId is "é{100}", but PLATFORM_CLIENT_ID takes/,
  ],
  ['webhook-ingester', { 'platform.clientId': '🦏'.repeat(1_001) }, /but PLATFORM_CLIENT_ID takes a text of 1 to 2000/],
  ['webhook-ingester', { 'redis.databases.state': 1 }, /each takes a database of its own/],
  ['webhook-ingester', { 'redis.tls.ca': ref }, /redis\.tls\.enabled is false/],
  ['webhook-ingester', { 'redis.username': 'u', secretName: '', 'secrets.WEBHOOK_TOKENS_FILE': ref }, /Secret with /],
  [
    'webhook-ingester',
    { secretName: '' },
    /the Secret with PLATFORM_CLIENT_SECRET is not named; give platform\.clientS/,
  ],
  [
    'action-runner',
    { secretName: '', 'platform.clientSecret': ref },
    /the Secret with AUTH_TOKEN is not named; give secrets\.AUTH_TOKEN/,
  ],
  ['webhook-ingester', { 'kafka.tls.ca': ref }, /kafka\.tls\.enabled is false, so nothing would be encrypted/],
  ['webhook-ingester', { 'kafka.sasl.username': 'u' }, /but kafka\.sasl\.mechanism is none/],
  ['webhook-ingester', { ...sasl }, /kafka\.sasl\.mechanism is plain, but kafka\.sasl\.username is not set/],
  [
    'observation-forwarder',
    { ...sasl, 'kafka.sasl.username': 'u', secretName: '', 'platform.clientSecret': ref },
    /the Secret with KAFKA_SASL_PASSWORD is not named; give kafka\.sasl\.password/,
  ],
  ['webhook-ingester', { 'image.tag': 'latest' }, /image\.tag is latest, which is another image each day/],
  ['webhook-ingester', { 'config.WEBHOOK_AUTH': 'gateway' }, /WEBHOOK_TRUSTED_PROXIES does not say/],
  [
    'webhook-ingester',
    { 'config.WEBHOOK_MAX_BODY_BYTES': 200_000_000, 'resources.limits.memory': '1Gi' },
    /WEBHOOK_MAX_BUFFERED_BYTES is 134217728, but must be at least WEBHOOK_MAX_BODY_BYTES \(200000000\)/,
  ],
  ['message-pusher', { 'config.PUSH_TIMEOUT_S': 300, 'config.MAX_ACTION_EXECUTION_TIME': 320 }, /needs at least 330/],
  ['message-pusher', { 'config.AUTH_MODE': 'oidc' }, /INTEGRATION_SERVICE_URL is not set, which is the audience/],
  [
    'action-runner',
    { 'config.AUTH_MODE': 'oidc', 'config.INTEGRATION_SERVICE_URL': 'https://relay.example' },
    /AUTH_OIDC_ISSUER is not set, which is who issues tokens/,
  ],
  ['action-runner', { 'config.ACTION_SCHEDULES': 'pull_events:60 * * * *' }, /ACTION_SCHEDULES/],
  [
    'action-runner',
    { 'config.ACTION_SCHEDULES': 'pull_all:* * * * *' },
    /names pull_all, which is no pull action; those are pull_events, pull_observations/,
  ],
  [
    'action-runner',
    { 'config.ACTION_SCHEDULES': 'pull_events:1 * * * *; pull_events:2 * * * *' },
    /gives pull_events two schedules; keep one of them/,
  ],
  [
    'action-runner',
    { 'config.ACTION_SCHEDULES': 'pull_events:* * * * fri-sun' },
    /has fri-sun for pull_events, which runs backwards/,
  ],
  ['observation-forwarder', { 'kafka.brokers': '[::1]:9092' }, /KAFKA_BROKERS takes host:port.* by name or IPv4/],
  [
    'message-pusher',
    { extraEnv: [{ name: 'LOG_LEVEL', value: 'x' }] },
    /extraEnv gives LOG_LEVEL, which is a variable/,
  ],
  ['message-pusher', { extraEnv: [{ name: 'AUTH_TOKEN_FILE', value: '/x' }] }, /extraEnv gives AUTH_TOKEN_FILE/],
  [
    'message-pusher',
    { extraEnv: [{ name: 'MALLOC_ARENA_MAX', value: '2' }] },
    /extraEnv gives MALLOC_ARENA_MAX, which the pod has without it; leave it out/,
  ],
  [
    'message-pusher',
    {
      extraEnv: [
        { name: 'PROBE', value: '1' },
        { name: 'PROBE', value: '2' },
      ],
    },
    /extraEnv gives PROBE twice; keep one of them/,
  ],
  ['message-pusher', { extraVolumes: [{ name: 'tmp' }] }, /extraVolumes gives tmp, which the pod has .*another name/],
  ['message-pusher', { extraVolumes: [{ name: 'secrets' }] }, /extraVolumes gives secrets, which the pod has without/],
  ['message-pusher', { extraVolumes: [{ name: 'a' }, { name: 'a' }] }, /extraVolumes gives a twice; keep one of them/],
  [
    'message-pusher',
    { extraVolumeMounts: [{ name: 'a', mountPath: '/etc/ranger-relay//secrets/' }] },
    /extraVolumeMounts gives \/etc\/ranger-relay\/secrets, which the pod has without it; take another path/,
  ],
  ['ranger-relay', { 'tasks.extraVolumes': [{ name: 'tmp' }] }, /\(tasks\): extraVolumes gives tmp, which the pod has/],
  ...['name', 'instance', 'component', 'part-of', 'version', 'managed-by'].map(
    (label) =>
      [
        'message-pusher',
        { podLabels: { [`app.kubernetes.io/${label}`]: 'x' } },
        new RegExp(`podLabels gives app[.]kubernetes[.]io/${label}, which the chart gives itself; leave it out`),
      ] as const,
  ),
  ...['serviceMonitor', 'prometheusRule', 'dashboards'].map(
    (value) =>
      [
        'message-pusher',
        { [`${value}.labels`]: { 'app.kubernetes.io/name': 'x' } },
        new RegExp(`${value}[.]labels gives app[.]kubernetes[.]io/name, which the chart gives itself`),
      ] as const,
  ),
  [
    'message-pusher',
    { 'serviceMonitor.labels': { 'ranger-relay/role': 'x' } },
    /serviceMonitor\.labels gives ranger-relay\/role, which the chart gives itself/,
  ],
  [
    'ranger-relay',
    { 'tasks.podLabels': { 'app.kubernetes.io/name': 'x' } },
    /\(tasks\): podLabels gives app\.kubernetes\.io\/name, which the chart gives itself/,
  ],
  ['message-pusher', { 'autoscaling.enabled': true, 'keda.enabled': true }, /would undo each other; keep one of them/],
  ['message-pusher', { 'autoscaling.enabled': true, 'autoscaling.minReplicas': 9 }, /minReplicas \(9\) is above/],
  ['message-pusher', { 'autoscaling.enabled': true, 'autoscaling.targetCPU': null }, /says what to aim at/],
  ['message-pusher', { 'autoscaling.enabled': true, 'autoscaling.maxReplicas': 13 }, /there are 12 partitions/],
  [
    'message-pusher',
    { 'keda.enabled': true, 'keda.maxReplicas': 13 },
    /keda\.maxReplicas is 13, but there are 12 part/,
  ],
  ['message-pusher', { 'keda.enabled': true, 'keda.minReplicas': 0 }, /need a pod also when no record waits/],
  ['webhook-ingester', { 'keda.enabled': true }, /reads no topic that could lag; use autoscaling/],
  ['observation-forwarder', { replicas: 13 }, /replicas is 13, but there are 12 partitions/],
  ['observation-forwarder', { replicas: 0 }, /set podDisruptionBudget\.enabled to false/],
  ['observation-forwarder', { 'podDisruptionBudget.minAvailable': 1 }, /takes one of maxUnavailable and minAvailable/],
  [
    'observation-forwarder',
    { 'podDisruptionBudget.maxUnavailable': null, 'podDisruptionBudget.minAvailable': 1 },
    /so no node could be drained; use maxUnavailable/,
  ],
  [
    'observation-forwarder',
    { 'ingress.enabled': true },
    /ingress\.enabled is true, but this service takes no requests/,
  ],
  ['observation-forwarder', { 'httpRoute.enabled': true }, /takes no requests/],
  ['webhook-ingester', { 'ingress.enabled': true }, /ingress\.hosts names no host/],
  ['webhook-ingester', { 'httpRoute.enabled': true }, /httpRoute\.parentRefs names no Gateway/],
  ['webhook-ingester', { 'serviceMonitor.enabled': true }, /lets nobody read the metrics; name the namespace of Prom/],
  ['webhook-ingester', { 'service.nodePort': 30_000 }, /service\.type is ClusterIP, which is not reached from outside/],
  ['webhook-ingester', { 'service.loadBalancerSourceRanges': ['10.0.0.0/8'] }, /but service\.type is ClusterIP/],
  ['webhook-ingester', { 'ports.http': 9_090 }, /keep them apart, so that nobody reads metrics through the door/],
  ['action-runner', { terminationGracePeriodSeconds: 60 }, /a piece of work may take 540 s, so give at least 575/],
  [
    'webhook-ingester',
    { 'resources.limits.memory': '200Mi' },
    /leaves no heap beside the 192 MiB .* give at least 256Mi/,
  ],
  ['webhook-ingester', { heapMiB: 400 }, /heapMiB is 400, but with 192 MiB beside it that is above/],
  ['webhook-ingester', { 'resources.requests.memory': '1Gi' }, /resources\.requests\.memory \(1Gi\) is above/],
  ['webhook-ingester', { 'resources.limits.cpu': '10m' }, /resources\.requests\.cpu \(50m\) is above .* \(10m\)/],
  ['webhook-ingester', { 'resources.limits.ephemeral-storage': '10Mi' }, /ephemeral-storage \(16Mi\) is above/],
  ['webhook-ingester', { 'resources.limits.ephemeral-storage': null }, /but it is the most that \/tmp takes/],
  [
    'webhook-ingester',
    {
      'serviceMonitor.enabled': true,
      'serviceMonitor.interval': '5s',
      'networkPolicy.metrics.from': [{ podSelector: {} }],
    },
    /scrapeTimeout \(10s\) is above serviceMonitor\.interval \(5s\)/,
  ],
  ['action-runner', { 'config.HOST': '127.0.0.1' }, /nothing outside the pod reaches it, nor does the kubelet/],
  ['webhook-ingester', { 'serviceAccount.create': false }, /serviceAccount\.name does not say which account is used/],
  ['webhook-ingester', { nonsense: 1 }, /additional properties 'nonsense' not allowed/],
  ['webhook-ingester', { 'kafka.nonsense': 1 }, /additional properties 'nonsense' not allowed/],
  ['webhook-ingester', { 'config.NONSENSE': 1 }, /'\/config': additional properties 'NONSENSE' not allowed/],
  ['message-pusher', { nameOverride: 'a.b' }, /'\/nameOverride': 'a\.b' does not match/],
  ['message-pusher', { nameOverride: 'a'.repeat(64) }, /'\/nameOverride': maxLength: got 64, want 63/],
  ['message-pusher', { fullnameOverride: '1relay' }, /'\/fullnameOverride': '1relay' does not match/],
  ['message-pusher', { fullnameOverride: 'relay.x' }, /'\/fullnameOverride': 'relay\.x' does not match/],
  ['message-pusher', { fullnameOverride: 'a'.repeat(64) }, /'\/fullnameOverride': maxLength: got 64, want 63/],
  [
    'ranger-relay',
    Object.fromEntries(
      ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'].map((name) => [
        `${name}.enabled`,
        false,
      ]),
    ),
    /every service is switched off, and embedded\.enabled is false/,
  ],
  ['ranger-relay', { 'kafka.topics.strimzi.namespace': 'a.b' }, /strimzi\/namespace': 'a\.b' does not match/],
  [
    'message-pusher',
    { 'networkPolicy.internet.except': ['300.1.1.1/99'] },
    /internet\.except\[0\] is "300\.1\.1\.1\/99", but it takes networks like/,
  ],
  [
    'message-pusher',
    { 'networkPolicy.internet.except': ['0.0.0.0/0'] },
    /internet\.except\[0\] is "0\.0\.0\.0\/0", but it takes networks like/,
  ],
  ['message-pusher', { 'networkPolicy.internet.except': ['::/0'] }, /internet\.except\[0\] is "::\/0"/],
  [
    'message-pusher',
    { 'networkPolicy.kafka.to': [{ podSelector: {} }, { ipBlock: { cidr: '10.0.0.0/99' } }] },
    /networkPolicy\.kafka\.to\[1\]\.ipBlock\.cidr is "10\.0\.0\.0\/99", but it takes a network like/,
  ],
  [
    'message-pusher',
    { 'networkPolicy.egress': [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/9', 'x'] } }] }] },
    /networkPolicy\.egress\[0\]\.to\[0\]\.ipBlock\.except\[1\] is "x", but it takes a network like/,
  ],
  [
    'ranger-relay',
    { 'global.networkPolicy.http.from': [{ ipBlock: { cidr: '1:/999' } }] },
    /global\.networkPolicy\.http\.from\[0\]\.ipBlock\.cidr is "1:\/999", but it takes a network like/,
  ],
  [
    'webhook-ingester',
    { 'service.type': 'LoadBalancer', 'service.loadBalancerSourceRanges': ['fd00::/8', '1:/999'] },
    /service\.loadBalancerSourceRanges\[1\] is "1:\/999", but it takes a network like/,
  ],
  [
    'webhook-ingester',
    { 'httpRoute.enabled': true, 'httpRoute.parentRefs': [{ x: 1 }] },
    /'\/httpRoute\/parentRefs\/0': missing property 'name'/,
  ],
  [
    'webhook-ingester',
    { 'ingress.enabled': true, 'ingress.hosts': ['a.example', 'a.example'] },
    /'\/ingress\/hosts': items at 0 and 1 are equal/,
  ],
  [
    'ranger-relay',
    { 'tests.probe.url': 'relay.example' },
    /tests\.probe\.url is "relay\.example", but it takes an address/,
  ],
  ['ranger-relay', { 'tests.probe.position': '99,500' }, /'\/tests\/probe\/position': '99,500' does not match/],
  ['ranger-relay', { 'tests.probe.position': '90.5,0' }, /'90\.5,0' does not match/],
  ['ranger-relay', { 'tests.probe.position': '-90,-180.000001' }, /'-90,-180\.000001' does not match/],
  [
    'message-pusher',
    { 'global.config.PUSH_TIMEOUT_S': 'abc' },
    /'\/global\/config\/PUSH_TIMEOUT_S': 'abc' does not match/,
  ],
  ['message-pusher', { 'global.config.NONSENSE': 1 }, /global\.config\.NONSENSE is not a variable of this chart/],
  ['message-pusher', { 'global.config.AUTH_TOKEN': 'x' }, /global\.config\.AUTH_TOKEN is not a variable of this chart/],
  ['message-pusher', { 'global.config.KAFKA_BROKERS': 'a:1' }, /write it as kafka\.brokers/],
  [
    'ranger-relay',
    { 'global.config.HTTP_ALLOWED_NETWORKS': '10.0.0.0' },
    /global\.config\.HTTP_ALLOWED_NETWORKS is "10\.0\.0\.0", but it takes networks like 127\.0\.0\.0\/8/,
  ],
];

for (const [chart, paths, sentence] of refusals)
  test.serial(`${chart} is refused with ${JSON.stringify(paths).slice(0, 200)}`, async (t) => {
    const rendering = await renderLeast(node.env, chart, paths);
    t.false(rendering.ok);
    t.regex(rendering.ok ? '' : rendering.problem, sentence);
    t.true(rendering.ok || rendering.problem.split('\n').length <= 3, 'one sentence');
  });

/** What is written seldom, and works: chart, values, a place of the rendering, and what is there; see charts/place.ts. */
const seldom: readonly (readonly [string, Readonly<Record<string, unknown>>, string, unknown])[] = [
  ...[
    ['redis.host', 'KV_HOST', 'fd00::1'],
    ['redis.host', 'KV_HOST', '::ffff:10.0.0.1'],
    ['platform.tokenUrl', 'PLATFORM_TOKEN_URL', 'https://auth.example/token?tenant=a'],
    ['platform.tokenUrl', 'PLATFORM_TOKEN_URL', 'https://a.example/v1/x:token'],
    ['platform.tokenUrl', 'PLATFORM_TOKEN_URL', 'https://[fd00::1]:8443/x'],
    ['platform.tokenUrl', 'PLATFORM_TOKEN_URL', 'https://host_a/x'],
    ['platform.clientId', 'PLATFORM_CLIENT_ID', 'é'.repeat(2_000)],
    ['platform.clientId', 'PLATFORM_CLIENT_ID', '🦏'.repeat(1_000)],
    ['kafka.brokers', 'KAFKA_BROKERS', 'kafka_1:9092'],
    ['kafka.brokers', 'KAFKA_BROKERS', '1broker:9092'],
    ['kafka.brokers', 'KAFKA_BROKERS', ' a:9092 ,\nb:9092,\n', 'a:9092,b:9092'],
    ['config.REGISTER_ON_START', 'REGISTER_ON_START', 'TRUE'],
    ['config.REGISTER_ON_START', 'REGISTER_ON_START', 'y'],
    ['config.REGISTER_ON_START', 'REGISTER_ON_START', 'Enabled'],
  ].map(
    ([path = '', name = '', value = '', shows = value]) =>
      [
        'message-pusher',
        { [path]: value },
        `Deployment#spec.template.spec.containers[0].env[name=${name}].value`,
        shows,
      ] as const,
  ),
  [
    'message-pusher',
    { 'global.config.PUSH_TIMEOUT_S': 77 },
    'Deployment#spec.template.spec.containers[0].env[name=PUSH_TIMEOUT_S].value',
    '77',
  ],
  ['webhook-ingester', { fullnameOverride: 'r2-d2' }, 'Deployment#metadata.name', 'r2-d2'],
  [
    'webhook-ingester',
    { 'service.type': 'LoadBalancer', 'service.loadBalancerSourceRanges': ['10.0.0.0/8', 'fd00::/8'] },
    'Service#spec.loadBalancerSourceRanges',
    ['10.0.0.0/8', 'fd00::/8'],
  ],
  [
    'ranger-relay',
    { 'tests.probe.position': '-90.0,180' },
    'Pod/-test-probe#spec.containers[0].args[=--position=-90.0,180]',
    '--position=-90.0,180',
  ],
];

for (const [chart, paths, at, shows] of seldom)
  test.serial(`${chart} takes ${JSON.stringify(paths).slice(0, 200)}`, async (t) => {
    const rendering = await renderLeast(node.env, chart, paths);
    t.deepEqual(rendering.ok ? place(rendering.objects, at) : rendering.problem, shows);
  });

test.serial('a key that is written elsewhere is refused with the place', async (t) => {
  t.timeout(300_000);
  const { hints = {} } = specs['webhook-ingester'] ?? {};
  t.true(Object.keys(hints).length > 20);
  for (const [path, hint] of Object.entries(hints)) {
    const rendering = await renderLeast(node.env, 'webhook-ingester', { [path]: 'x' });
    t.true(!rendering.ok && rendering.problem.includes(`${path} is not a value of this chart; ${hint}`), path);
  }
});

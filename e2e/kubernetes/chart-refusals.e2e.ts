import test from 'ava';
import { parseRunnerConfig, runnerSchedules, runnerType } from '@ranger-relay/action-runner';
import { isRelayError } from '@ranger-relay/errors';
import { renderChart } from './charts/render.ts';
import { chartSpecs, valuesOf } from './charts/specs.ts';
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
  ['operator', { extraVolumeMounts: [{ name: 'a', mountPath: '/tmp' }] }, /extraVolumeMounts gives \/tmp, which/],
  ['ranger-relay', { 'tasks.extraVolumes': [{ name: 'tmp' }] }, /\(tasks\): extraVolumes gives tmp, which the pod has/],
  ...['name', 'instance', 'component', 'part-of', 'version', 'managed-by'].map(
    (label) =>
      [
        'message-pusher',
        { podLabels: { [`app.kubernetes.io/${label}`]: 'x' } },
        new RegExp(`podLabels gives app[.]kubernetes[.]io/${label}, which the chart gives itself; leave it out`),
      ] as const,
  ),
  [
    'operator',
    { podLabels: { 'helm.sh/chart': 'x' } },
    /podLabels gives helm\.sh\/chart, which the chart gives itself/,
  ],
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
  ['patrol-sync', { 'resources.limits.memory': null }, /resources\.limits\.memory is not set, but the heap/],
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
  ['operator', { replicas: 0 }, /set podDisruptionBudget\.enabled to false/],
  ['operator', { 'image.tag': 'latest' }, /image\.tag is latest, which is another image each day/],
  ['operator', { 'serviceMonitor.enabled': true }, /lets nobody read the metrics; name the namespace of Prom/],
  [
    'operator',
    { 'config.JOB_IMAGE': 'x:1' },
    /config\.JOB_IMAGE is not a value of this chart; write it as jobs\.image/,
  ],
  [
    'operator',
    { 'config.OPERATOR_NAMESPACE': 'x' },
    /it is the namespace of the release, where the operator may write/,
  ],
  ['operator', { extraEnv: [{ name: 'JOB_IMAGE', value: 'x' }] }, /extraEnv gives JOB_IMAGE, which is a variable/],
  ['operator', { watchNamespace: 'a,b' }, /watchNamespace/],
  ['operator', { 'resources.limits.memory': '100Mi', 'resources.requests.memory': '99Mi' }, /leaves no heap beside/],
  ['webhook-ingester', { nonsense: 1 }, /additional properties 'nonsense' not allowed/],
  ['webhook-ingester', { 'kafka.nonsense': 1 }, /additional properties 'nonsense' not allowed/],
  ['webhook-ingester', { 'config.NONSENSE': 1 }, /'\/config': additional properties 'NONSENSE' not allowed/],
];

for (const [chart, paths, sentence] of refusals)
  test.serial(`${chart} is refused with ${JSON.stringify(paths)}`, async (t) => {
    const rendering = await renderChart(node.env, chart, {
      files: ['ci/default-values.yaml'],
      values: valuesOf(paths),
    });
    t.false(rendering.ok);
    t.regex(rendering.ok ? '' : rendering.problem, sentence);
    t.true(rendering.ok || rendering.problem.split('\n').length <= 3, 'one sentence');
  });

test.serial('a key that is written elsewhere is refused with the place', async (t) => {
  t.timeout(300_000);
  const { hints = {} } = specs['webhook-ingester'] ?? {};
  t.true(Object.keys(hints).length > 20);
  for (const [path, hint] of Object.entries(hints)) {
    const rendering = await renderChart(node.env, 'webhook-ingester', {
      files: ['ci/default-values.yaml'],
      values: valuesOf({ [path]: 'x' }),
    });
    t.true(!rendering.ok && rendering.problem.includes(`${path} is not a value of this chart; ${hint}`), path);
  }
});

/** What the service says to schedules; nothing when it takes them. */
const problemOf = (schedules: string): string | undefined => {
  try {
    runnerSchedules(runnerType(parseRunnerConfig({ ACTION_SCHEDULES: schedules })));
    return undefined;
  } catch (error) {
    if (isRelayError(error, 'crontab_invalid')) return error.message;
    throw error;
  }
};

for (const schedules of [
  'pull_events:*/5 * * * *',
  ' pull_events : 08-09,1-2 08-10/2 01-31 Jan-12 sun-7 -5 ;\n pull_observations:0 0 * * 0-6;\n',
  'pull_events:0-0 09-09 7-07 dec-12 MON-fri +03',
  'pull_events:1-2,3-4,9-8 * * * *',
  'pull_events:* 2-10,20-10/5 * * *',
  'pull_events:* * 10-09 * *',
  'pull_events:* * * 1,DEC-jan *',
  'pull_events:* * * * 7-sun',
  'pull_observations:0 0 * * *; pull_events:* * * * 6-5',
  'auth:0 0 * * *',
  'show_permissions:0 0 * * *',
  'pull_events:0 0 * * *;pull_observations:0 0 * * *; pull_events:0 0 * * *',
])
  test.serial(`the chart takes ${JSON.stringify(schedules)} if and only if the service does`, async (t) => {
    const rendering = await renderChart(node.env, 'action-runner', {
      files: ['ci/default-values.yaml'],
      values: valuesOf({ 'config.ACTION_SCHEDULES': schedules }),
    });
    const problem = problemOf(schedules);
    t.is(rendering.ok, problem === undefined, problem);
    t.true(rendering.ok || rendering.problem.includes('config.ACTION_SCHEDULES'));
  });

/** What a value does: values by their paths, a place of the rendering, and what stands there; see place.ts. */
export type Effect = readonly [values: Readonly<Record<string, unknown>>, at: string, shows: unknown];

const digest = `sha256:${'a'.repeat(64)}`;
const image = 'docker.io/ranger-relay';
const peers = [{ podSelector: { matchLabels: { probe: 'x' } } }];

const pod = 'Deployment#spec.template.spec';
const container = `${pod}.containers[0]`;
const env = (name: string): string => `${container}.env[name=${name}].value`;

const operator: readonly Effect[] = [
  [{ fullnameOverride: 'probe' }, 'Deployment#metadata.name', 'probe'],
  [{ 'image.digest': digest }, `${container}.image`, `${image}/ranger-relay@${digest}`],
  [{ 'image.registry': 'registry.example' }, env('JOB_IMAGE'), 'registry.example/ranger-relay/sync-tool:0.1.0'],
  [{ watchNamespaces: ['probe'] }, 'Role#metadata.namespace', 'probe'],
  [{ watchNamespaces: ['probe'] }, env('WATCH_NAMESPACE'), 'probe'],
  [{}, env('WATCH_NAMESPACE'), 'relay'],
  [{ allNamespaces: true }, env('WATCH_NAMESPACE'), null],
  [{ 'jobs.memoryMiB': 777 }, env('JOB_MEMORY_MIB'), '777'],
  [{ 'jobs.deadlineSeconds': 777 }, env('JOB_DEADLINE_S'), '777'],
  [{ 'jobs.imagePullSecrets': ['one', 'two'] }, env('JOB_IMAGE_PULL_SECRETS'), 'one,two'],
  [{ 'jobs.nodeSelector': { disk: 'fast' } }, env('JOB_POD'), '{"nodeSelector":{"disk":"fast"},"runAsUser":65532}'],
  [{ assignedUser: true }, `${pod}.securityContext.runAsUser`, null],
  [{ 'crds.enabled': false }, 'CustomResourceDefinition#', false],
  [{}, 'CustomResourceDefinition#metadata.annotations["helm.sh/resource-policy"]', 'keep'],
  [{ 'rbac.create': false }, 'Role/-leases#', false],
  [{ 'rbac.aggregate': false }, 'ClusterRole/-editor#', false],
  [{ 'approval.restricted': false }, 'ValidatingAdmissionPolicy#', false],
  [{ 'config.LOG_LEVEL': 'debug' }, env('LOG_LEVEL'), 'debug'],
  [{ preStopSeconds: 10 }, `${pod}.terminationGracePeriodSeconds`, 60],
  [{ preStopSeconds: 10 }, env('STOP_GRACE_S'), '45'],
  [{ 'resources.limits.memory': '1Gi' }, `${container}.args[0]`, '--max-old-space-size=768'],
  [{ heapMiB: 100 }, `${container}.args[0]`, '--max-old-space-size=100'],
  [{ 'networkPolicy.apiServer.to': peers }, 'NetworkPolicy#spec.egress[1].to', peers],
  [{ 'networkPolicy.enabled': false }, 'NetworkPolicy#', false],
  [{ commonLabels: { team: 'x' } }, 'ClusterRole#metadata.labels.team', 'x'],
  [{ commonLabels: { team: 'x' } }, 'Deployment#spec.template.metadata.labels.team', 'x'],
  [{ commonLabels: { team: 'x' } }, 'Deployment#spec.selector.matchLabels.team', null],
  [
    { podLabels: { 'app.kubernetes.io/name': 'x' } },
    'Deployment#spec.template.metadata.labels["app.kubernetes.io/name"]',
    'operator',
  ],
  [{ commonLabels: { 'ranger-relay/role': 'x' } }, 'Service#metadata.labels["ranger-relay/role"]', 'metrics'],
  [{ extraObjects: [{ kind: 'Probe', metadata: { name: '{{ .Release.Name }}' } }] }, 'Probe#metadata.name', 'release'],
  [{ extraObjects: ['kind: Probe\nmetadata: { name: a }'] }, 'Probe#metadata.name', 'a'],
];

const job = 'spec.jobTemplate.spec';
const run = 'CronJob/release-patrol-sync#';
const jobPod = `${job}.template.spec`;
const argument = (suffix: string, is: string): string =>
  `CronJob/patrol-sync${suffix}#${jobPod}.containers[0].args[=${is}]`;
/** An argument of one of the CronJobs. */
const passes = (values: Effect[0], suffix: string, is: string): Effect => [values, argument(suffix, is), is];
const record = 'patrol-datamodel-run-20260131T140311Z.json';

const patrolSync: readonly Effect[] = [
  [{ fullnameOverride: 'probe' }, 'CronJob/-show#metadata.name', 'probe-show'],
  passes({ 'site.endpoint': 'probe.example' }, '', '--site-endpoint=probe.example'),
  [{ 'site.token.name': 'probe' }, `${run}${jobPod}.volumes[name=site].projected.sources[0].secret.name`, 'probe'],
  [
    { 'site.ca': { name: 'probe', key: 'k', kind: 'ConfigMap' } },
    `${run}${jobPod}.volumes[name=site].projected.sources[1].configMap.name`,
    'probe',
  ],
  passes({ 'site.ca': { name: 'probe', key: 'k' } }, '-doctor', '--ca-file=/etc/patrol-sync/ca.pem'),
  [
    { 'bundle.configMap': 'probe', 'bundle.claim.name': '', 'bundle.claim.path': '' },
    `${run}${jobPod}.volumes[name=bundle].configMap.name`,
    'probe',
  ],
  passes({ 'bundle.claim.name': 'b', 'bundle.claim.path': 'exports/first' }, '', '--bundle=/bundle/exports/first'),
  passes({ 'output.folder': 'north' }, '', '--checklist=/output/north/checklist.md'),
  passes({ 'output.plan': 'p.json' }, '-apply', '--plan=/output/p.json'),
  passes({ 'output.show': 'plan-checklist.md' }, '-show', 'plan-checklist.md'),
  passes({ 'undo.records': [record] }, '-undo', `/output/${record}`),
  passes({ 'resume.record': record }, '-resume', `/output/${record}`),
  passes({ 'options.maxDeactivations': 1_000_000 }, '', '--max-deactivations=1000000'),
  passes({ 'options.maxDeactivations': 0 }, '-apply', '--max-deactivations=0'),
  passes({ 'options.subjectNameSuffix': true }, '-verify', '--subject-name-suffix'),
  passes({ 'options.force': ['choice'] }, '-undo', '--force=choice'),
  passes({ 'options.forceUnlock': true }, '', '--force-unlock'),
  [{ 'output.claim.name': 'probe', 'output.claim.create': false }, 'PersistentVolumeClaim#', false],
  [{ 'output.claim.size': '2Gi' }, 'PersistentVolumeClaim#spec.resources.requests.storage', '2Gi'],
  [{}, 'PersistentVolumeClaim#metadata.annotations["helm.sh/resource-policy"]', 'keep'],
  [{ 'job.deadlineSeconds': 3_600 }, `${run}${jobPod}.activeDeadlineSeconds`, 3_600],
  [{ 'job.startSeconds': 1_000 }, `${run}${job}.activeDeadlineSeconds`, 8_410],
  [{ 'job.ttlSecondsAfterFinished': 31_536_000 }, `${run}${job}.ttlSecondsAfterFinished`, 31_536_000],
  [{ 'networkPolicy.site.ports': [8_443] }, 'NetworkPolicy#spec.egress[1].ports[0].port', 8_443],
  [{ 'site.endpoint': 'http://a.example/x' }, 'NetworkPolicy#spec.egress[1].ports[0].port', 80],
  [{ 'site.endpoint': '10.0.0.7:8443' }, 'NetworkPolicy#spec.egress[1].to[0].ipBlock.cidr', '10.0.0.7/32'],
  [
    { 'networkPolicy.internet.except': ['fc00::/7'] },
    'NetworkPolicy#spec.egress[1].to[1].ipBlock.except[0]',
    'fc00::/7',
  ],
  [{ commonLabels: { team: 'x' } }, `${run}spec.jobTemplate.metadata.labels.team`, 'x'],
  [
    { podLabels: { 'ranger-relay/command': 'x' } },
    `${run}${job}.template.metadata.labels["ranger-relay/command"]`,
    'patrol-datamodel',
  ],
];

const of = (component: string, path: string): string => `Deployment/${component}#spec.template.spec.${path}`;
const variable = (component: string, name: string): string => of(component, `containers[0].env[name=${name}].value`);
const ref = { name: 'probe', key: 'k' };
const services = ['ingester', 'forwarder', 'pusher', 'runner'];

const relay: readonly Effect[] = [
  [{ 'kafka.brokers': ' a:1 ,\nb:2,\n' }, variable('action-runner', 'KAFKA_BROKERS'), 'a:1,b:2'],
  [{ 'kafka.brokers': 'a:1', 'runner.kafka.brokers': 'b:2' }, variable('action-runner', 'KAFKA_BROKERS'), 'b:2'],
  [{ 'kafka.brokers': 'a:1', 'runner.kafka.brokers': 'b:2' }, variable('message-pusher', 'KAFKA_BROKERS'), 'a:1'],
  [{ 'kafka.prefix': 'north.' }, variable('webhook-ingester', 'KAFKA_PREFIX'), 'north.'],
  [{ 'redis.databases.state': 2, 'redis.databases.config': 0 }, variable('action-runner', 'KV_CONFIGS_DB'), '0'],
  [{ 'redis.tls.enabled': true }, variable('action-runner', 'KV_TLS'), 'true'],
  [{ 'config.LOG_LEVEL': 'debug' }, variable('observation-forwarder', 'LOG_LEVEL'), 'debug'],
  [{ 'pusher.config.LOG_LEVEL': 'debug' }, variable('observation-forwarder', 'LOG_LEVEL'), null],
  [{ 'pusher.config.PUSH_TIMEOUT_S': 77 }, variable('message-pusher', 'PUSH_TIMEOUT_S'), '77'],
  [
    { 'image.registry': 'registry.example' },
    of('webhook-ingester', 'containers[0].image'),
    'registry.example/ranger-relay/ranger-relay:0.1.0',
  ],
  [{ 'image.digest': digest }, of('webhook-ingester', 'containers[0].image'), `${image}/ranger-relay@${digest}`],
  [{ 'ingester.replicas': 3 }, 'Deployment/webhook-ingester#spec.replicas', 3],
  [{ 'forwarder.autoscaling.enabled': true }, 'Deployment/observation-forwarder#spec.replicas', null],
  [{ 'keda.enabled': true }, 'Deployment/webhook-ingester#spec.replicas', 2],
  [{ 'keda.enabled': true }, 'ScaledObject/observation-forwarder#spec.triggers[0].metadata.topic', 'emergencies'],
  [
    { 'keda.enabled': true, 'keda.activationLagThreshold': 9 },
    'ScaledObject/observation-forwarder#spec.triggers[0].metadata.activationLagThreshold',
    '0',
  ],
  [
    { 'runner.keda': { enabled: true, minReplicas: 0 }, 'runner.config.SCHEDULER': 'platform' },
    'ScaledObject/action-runner#spec.minReplicaCount',
    0,
  ],
  [
    { 'pusher.autoscaling': { enabled: true, targetMemory: 90 }, 'autoscaling.targetCPU': null },
    'HorizontalPodAutoscaler/message-pusher#spec.metrics[0].resource.name',
    'memory',
  ],
  [
    { redis: { host: '' }, ...Object.fromEntries(services.map((key) => [`${key}.redis.host`, key])) },
    variable('action-runner', 'KV_HOST'),
    'runner',
  ],
  [{ 'runner.config.MAX_ACTION_EXECUTION_TIME': 100 }, of('action-runner', 'terminationGracePeriodSeconds'), 135],
  [{ 'pusher.terminationGracePeriodSeconds': 700 }, of('message-pusher', 'terminationGracePeriodSeconds'), 700],
  [{ heapMiB: 100 }, of('message-pusher', 'containers[0].args[0]'), '--max-old-space-size=100'],
  [{ 'resources.requests.cpu': null }, of('action-runner', 'containers[0].resources.requests.cpu'), null],
  [{ assignedUser: true }, of('action-runner', 'securityContext.runAsUser'), null],
  [{ 'resources.limits.cpu': null }, of('action-runner', 'containers[0].resources.limits.cpu'), null],
  [{ 'runner.strategy.type': 'Recreate' }, 'Deployment/action-runner#spec.strategy.rollingUpdate', null],
  [{ 'runner.serviceAccount': { name: 'x' } }, of('action-runner', 'serviceAccountName'), 'x'],
  [{ 'runner.serviceAccount': { name: 'x' } }, 'ServiceAccount/x#metadata.name', 'x'],
  [{ 'tasks.serviceAccount': { create: false, name: 'x' } }, 'Job/-topics#spec.template.spec.serviceAccountName', 'x'],
  [{ 'config.AUTH_MODE': 'none' }, variable('message-pusher', 'AUTH_MODE'), 'none'],
  [{ 'config.AUTH_MODE': 'none', 'pusher.config.AUTH_MODE': 'oidc' }, variable('message-pusher', 'AUTH_MODE'), 'oidc'],
  [
    { 'pusher.config': { MAX_ACTION_EXECUTION_TIME: null } },
    of('message-pusher', 'terminationGracePeriodSeconds'),
    575,
  ],
  [{ extraContainers: [{ name: 'proxy', image: 'x' }] }, 'Job/-topics#spec.template.spec.containers[1]', null],
  [
    { 'secrets.OTEL_EXPORTER_OTLP_HEADERS': ref },
    'Job/-config-check#spec.template.spec.containers[0].env[name=OTEL_EXPORTER_OTLP_HEADERS_FILE]',
    null,
  ],
  [{ 'secrets.OTEL_EXPORTER_OTLP_HEADERS': ref }, 'Job/-config-check#spec.template.spec.volumes[name=secrets]', null],
  [
    { 'secrets.OTEL_EXPORTER_OTLP_HEADERS': ref },
    variable('action-runner', 'OTEL_EXPORTER_OTLP_HEADERS_FILE'),
    '/etc/ranger-relay/secrets/OTEL_EXPORTER_OTLP_HEADERS',
  ],
  [{ podAnnotations: { a: 'b' } }, 'Job/-config-check#spec.template.metadata.annotations.a', 'b'],
  [{ 'global.imageRegistry': 'x' }, 'Deployment/action-runner#kind', 'Deployment'],
  [{ commonLabels: { team: 'x' } }, 'Deployment/action-runner#spec.template.metadata.labels.team', 'x'],
  [{ commonLabels: { team: 'x' } }, 'Deployment/action-runner#spec.selector.matchLabels.team', null],
  [
    { podLabels: { 'app.kubernetes.io/name': 'x' } },
    'Deployment/action-runner#spec.template.metadata.labels["app.kubernetes.io/name"]',
    'action-runner',
  ],
  [{ 'embedded.enabled': true, 'kafka.brokers': '', 'redis.host': '' }, 'StatefulSet#', true],
  [{ 'networkPolicy.enabled': false }, 'NetworkPolicy#', false],
  [{ 'ingester.service.type': 'LoadBalancer' }, 'Service/webhook-ingester#spec.type', 'LoadBalancer'],
  [
    { 'ingester.ingress': { enabled: true, hosts: ['a.example'] } },
    'Ingress#spec.rules[0].http.paths[0].path',
    '/webhooks',
  ],
  [{ 'kafka.topics.mode': 'none' }, 'Job/-topics#', false],
  [
    { 'kafka.topics.replication': 1 },
    'Job/-topics#spec.template.spec.containers[0].args[=--replication=1]',
    '--replication=1',
  ],
  [{ 'configCheck.enabled': false }, 'Job/-config-check#', false],
  [{ 'tests.probe.enabled': false }, 'Pod/-test-probe#', false],
  [
    { 'pusher.secrets.AUTH_TOKEN': ref },
    of('message-pusher', 'volumes[name=secrets].projected.sources[0].secret.name'),
    'probe',
  ],
  [{ extraObjects: ['kind: Probe\nmetadata: { name: a }'] }, 'Probe#metadata.name', 'a'],
];

/** The most important values of each chart. */
export const effects: Readonly<Record<string, readonly Effect[]>> = {
  operator,
  'patrol-sync': patrolSync,
  'ranger-relay': relay,
};

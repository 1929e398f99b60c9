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
  [{ 'podDisruptionBudget.enabled': false }, 'PodDisruptionBudget#', false],
  [{ commonLabels: { team: 'x' } }, 'ClusterRole#metadata.labels.team', 'x'],
  [{ commonLabels: { team: 'x' } }, 'Deployment#spec.template.metadata.labels.team', 'x'],
  [{ commonLabels: { team: 'x' } }, 'Deployment#spec.selector.matchLabels.team', null],
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
  [{ 'options.waitForLock': false }, argument('', '--wait-for-lock'), null],
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
];

/** The most important values of each chart. */
export const effects: Readonly<Record<string, readonly Effect[]>> = { operator, 'patrol-sync': patrolSync };

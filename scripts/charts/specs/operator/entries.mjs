import { asIn, flag, matching, nameOrNothing, text, texts, whole } from '../../entry.mjs';
import { peers } from '../policy.mjs';
import { atEnv } from '../probes.mjs';

/** @typedef {import('../../entry.mjs').Entry} Entry */

const image = 'docker.io/ranger-relay/sync-tool';
const digest = `sha256:${'a'.repeat(64)}`;
const env = 'Deployment#spec.template.spec.containers[0].env';
const peer = [{ podSelector: { matchLabels: { probe: 'x' } } }];

/** Whose objects are looked after. @type {readonly Entry[]} */
export const watchEntries = [
  {
    schema: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', pattern: '^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$' },
    },
    takes: 'names of namespaces',
    path: 'watchNamespaces',
    about:
      'Namespaces whose objects are looked after, and in which alone it uses Secrets and makes Jobs; its own when empty',
    default: [],
    probe: { set: ['probe'], at: 'Role#metadata.namespace', shows: 'probe' },
  },
  {
    ...flag,
    path: 'allNamespaces',
    about:
      'Whether the objects of every namespace are looked after; its account may then read every Secret of the cluster',
    default: false,
    probe: { set: true, at: `${env}[name=WATCH_NAMESPACE].value`, shows: null },
  },
];

/** Who may approve. @type {readonly Entry[]} */
export const approvalEntries = [
  {
    ...flag,
    path: 'approval.restricted',
    about:
      'Whether approving takes the verb `approve`, held by a ValidatingAdmissionPolicy; else whoever edits may approve',
    default: true,
    probe: { set: false, at: 'ValidatingAdmissionPolicy#', shows: false },
  },
];

/** What a value of `jobs` becomes in JOB_POD. @param {string} name @param {unknown} value */
const inPod = (name, value) => ({
  at: atEnv('JOB_POD'),
  set: value,
  shows: JSON.stringify(Object.fromEntries(Object.entries({ [name]: value, runAsUser: 65_532 }).toSorted())),
});

/** What the pods of Jobs have beside. @type {readonly Entry[]} */
export const jobPodEntries = [
  {
    ...texts,
    path: 'jobs.podLabels',
    about: 'More labels of the pods',
    default: {},
    probe: inPod('labels', { probe: 'x' }),
  },
  {
    ...texts,
    path: 'jobs.podAnnotations',
    about: 'Annotations of the pods',
    default: {},
    probe: inPod('annotations', { probe: 'x' }),
  },
  {
    ...texts,
    path: 'jobs.nodeSelector',
    about: 'Labels of the nodes that may be used',
    default: {},
    probe: inPod('nodeSelector', { disk: 'fast' }),
  },
  {
    ...asIn('array', 'tolerations as in a pod'),
    path: 'jobs.tolerations',
    about: 'Taints of nodes that are tolerated',
    default: [],
    probe: inPod('tolerations', [{ key: 'probe', operator: 'Exists' }]),
  },
  {
    ...asIn('object', 'an affinity as in a pod'),
    path: 'jobs.affinity',
    about: 'Affinity of the pods',
    default: {},
    probe: inPod('affinity', { nodeAffinity: { probe: [] } }),
  },
  {
    ...nameOrNothing,
    path: 'jobs.priorityClassName',
    about: 'Priority of the pods',
    default: '',
    probe: inPod('priorityClassName', 'probe'),
  },
  {
    ...asIn('array', 'variables as in a container'),
    path: 'jobs.extraEnv',
    about: 'Variables of the pods, like HTTPS_PROXY and NO_PROXY',
    default: [],
    probe: inPod('env', [{ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' }]),
  },
];

/** The Jobs that the operator makes. @param {string} version @returns {readonly Entry[]} */
export const jobEntries = (version) => [
  {
    ...text(),
    path: 'jobs.image.repository',
    about: 'Image of the Jobs, in the same registry and of the same version as the operator’s own',
    default: 'ranger-relay/sync-tool',
    probe: { set: 'park/sync', at: atEnv('JOB_IMAGE'), shows: `docker.io/park/sync:${version}` },
  },
  {
    ...matching('`sha256:` and 64 digits, or nothing', '^(?:sha256:[0-9a-f]{64})?$'),
    path: 'jobs.image.digest',
    about: 'Digest of that image, which then counts before the tag',
    default: '',
    probe: { set: digest, at: atEnv('JOB_IMAGE'), shows: `${image}@${digest}` },
  },
  {
    schema: { type: 'array', maxItems: 10, items: { type: 'string', pattern: '^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$' } },
    takes: 'names of Secrets',
    path: 'jobs.imagePullSecrets',
    about: 'Secrets for the registry, in the namespaces of the objects',
    default: [],
    probe: { set: ['one', 'two'], at: atEnv('JOB_IMAGE_PULL_SECRETS'), shows: 'one,two' },
  },
  {
    ...nameOrNothing,
    path: 'jobs.serviceAccountName',
    about: 'Account of the pods in the namespaces of the objects; its token is never mounted',
    default: '',
    probe: { set: 'probe', at: atEnv('JOB_SERVICE_ACCOUNT') },
  },
  {
    ...whole(256, 65_536),
    path: 'jobs.memoryMiB',
    about: 'Memory limit of a pod, MiB',
    default: 512,
    probe: { set: 777, at: atEnv('JOB_MEMORY_MIB'), shows: '777' },
  },
  {
    ...whole(60, 86_400),
    path: 'jobs.deadlineSeconds',
    about: 'How long a pod may work, seconds; it is then asked to end, and a run is resumed',
    default: 7_200,
    probe: { set: 777, at: atEnv('JOB_DEADLINE_S'), shows: '777' },
  },
];

/** What is installed once for a cluster, and rights. @type {readonly Entry[]} */
export const clusterEntries = [
  {
    ...flag,
    path: 'crds.enabled',
    about: 'Whether the definitions of the kinds are installed and brought up to date; they stay when the chart goes',
    default: true,
    probe: { set: false, at: 'CustomResourceDefinition#', shows: false },
  },
  {
    ...flag,
    path: 'rbac.create',
    about: 'Whether the operator’s account is given its rights',
    default: true,
    probe: { set: false, at: 'Role/-leases#', shows: false },
  },
  {
    ...flag,
    path: 'rbac.aggregate',
    about: 'Whether the roles view, edit and admin of the cluster also hold for these kinds',
    default: true,
    probe: { set: false, at: 'ClusterRole/-editor#', shows: false },
  },
];

/** How the operator reaches the API server. @type {readonly Entry[]} */
export const serverEntries = [
  {
    ...peers,
    path: 'networkPolicy.apiServer.to',
    about: 'Where the API server is; anywhere when empty, because no policy can name it',
    default: [],
    probe: { set: peer, at: 'NetworkPolicy#spec.egress[1].to' },
  },
  {
    schema: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1, maximum: 65_535 } },
    takes: 'port numbers',
    path: 'networkPolicy.apiServer.ports',
    about: 'Ports of the API server: that of its Service, and that behind it',
    default: [443, 6_443],
    probe: { set: [8443], at: 'NetworkPolicy#spec.egress[1].ports[0].port', shows: 8_443 },
  },
];

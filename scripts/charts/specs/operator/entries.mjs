import { flag, matching, nameOrNothing, text, whole } from '../../entry.mjs';
import { peers } from '../policy.mjs';
import { atEnv } from '../probes.mjs';

/** @typedef {import('../../entry.mjs').Entry} Entry */

const image = 'docker.io/ranger-relay/sync-tool';
const digest = `sha256:${'a'.repeat(64)}`;
const peer = [{ podSelector: { matchLabels: { probe: 'x' } } }];

/** Whose objects are looked after. @type {readonly Entry[]} */
export const watchEntries = [
  {
    ...matching('a name of a namespace, or nothing', '^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?$'),
    path: 'watchNamespace',
    about: 'Namespace whose objects are looked after, and in which alone the operator has rights; every one when empty',
    default: '',
    probe: { set: 'probe', at: 'Role#metadata.namespace' },
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

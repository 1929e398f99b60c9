import {
  asIn,
  flag,
  labelOrNothing,
  matching,
  memory,
  nameOrNothing,
  oneOf,
  orNull,
  quantity,
  serviceNameOrNothing,
  text,
  texts,
  whole,
} from '../entry.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */

const pod = 'Deployment#spec.template.spec';
const container = `${pod}.containers[0]`;

/**
 * Names, image, and whether a chart above installs it unless told.
 * @param {{ repository: string, version: string, enabled?: boolean }} options
 * @returns {Entry[]}
 */
export const identityEntries = ({ repository, version, enabled = true }) => {
  const image = `ranger-relay/${repository}`;
  return [
    {
      ...flag,
      path: 'enabled',
      about: 'Whether the chart above this one installs it; nothing else reads it',
      default: enabled,
    },
    {
      ...labelOrNothing,
      path: 'nameOverride',
      about: 'Name in place of the chart’s in the names of objects',
      default: '',
      probe: { set: 'probe', at: 'Deployment#metadata.name', shows: 'release-probe' },
    },
    {
      ...serviceNameOrNothing,
      path: 'fullnameOverride',
      about: 'Whole name of the objects',
      default: '',
      probe: { set: 'probe', at: 'Deployment#metadata.name' },
    },
    {
      ...text(),
      path: 'image.registry',
      global: true,
      about: 'Registry of the image',
      default: 'docker.io',
      probe: { set: 'registry.example', at: `${container}.image`, shows: `registry.example/${image}:${version}` },
    },
    {
      ...text(),
      path: 'image.repository',
      about: 'Image in the registry',
      default: image,
      probe: { set: 'park/relay', at: `${container}.image`, shows: `docker.io/park/relay:${version}` },
    },
    {
      ...matching('a tag, or nothing for the version of the chart', '^(?:[A-Za-z0-9_][-.A-Za-z0-9_]{0,127})?$'),
      path: 'image.tag',
      global: true,
      about: 'Version of the image; never `latest`',
      default: '',
      probe: { set: '9.8.7', at: `${container}.image`, shows: `docker.io/${image}:9.8.7` },
    },
    {
      ...matching('`sha256:` and 64 digits, or nothing', '^(?:sha256:[0-9a-f]{64})?$'),
      path: 'image.digest',
      about: 'Digest of the image, which then counts before the tag',
      default: '',
      probe: {
        set: `sha256:${'a'.repeat(64)}`,
        at: `${container}.image`,
        shows: `docker.io/${image}@sha256:${'a'.repeat(64)}`,
      },
    },
    {
      ...oneOf('IfNotPresent', 'Always', 'Never'),
      path: 'image.pullPolicy',
      global: true,
      about: 'When the image is pulled',
      default: 'IfNotPresent',
      probe: { set: 'Never', at: `${container}.imagePullPolicy` },
    },
    {
      ...asIn('array', 'a list of `{name}`'),
      path: 'imagePullSecrets',
      global: true,
      about: 'Secrets for the registry',
      default: [],
      probe: { set: [{ name: 'pull' }], at: `${pod}.imagePullSecrets` },
    },
  ];
};

/** The account of the pods. @type {readonly Entry[]} */
export const accountEntries = [
  {
    ...flag,
    path: 'serviceAccount.create',
    about: 'Whether to make an account of its own; its token is never mounted',
    default: true,
    probe: { set: false, with: { 'serviceAccount.name': 'own-ranger-relay' }, at: 'ServiceAccount#', shows: false },
  },
  {
    ...nameOrNothing,
    path: 'serviceAccount.name',
    about: 'Name of the account; the name of the objects when empty',
    default: '',
    probe: { set: 'probe', at: `${pod}.serviceAccountName` },
  },
  {
    ...texts,
    path: 'serviceAccount.annotations',
    about: 'Annotations of the account',
    default: {},
    probe: { set: { 'park.example/role': 'probe' }, at: 'ServiceAccount#metadata.annotations' },
  },
];

/** @param {number} limitMi @param {number} requestMi @returns {Entry[]} */
const resourceEntries = (limitMi, requestMi) => [
  {
    ...orNull(quantity, 'none'),
    path: 'resources.requests.cpu',
    about: 'Processor time that is set aside',
    default: '50m',
    probe: { set: '77m', at: `${container}.resources.requests.cpu` },
  },
  {
    ...orNull(memory, 'none'),
    path: 'resources.requests.memory',
    about: 'Memory that is set aside',
    default: `${requestMi}Mi`,
    probe: { set: '99Mi', at: `${container}.resources.requests.memory` },
  },
  {
    ...orNull(quantity, 'none'),
    path: 'resources.requests.ephemeral-storage',
    about: 'Disk that is set aside',
    default: '16Mi',
    probe: { set: '17Mi', at: `${container}.resources.requests["ephemeral-storage"]` },
  },
  {
    ...orNull(quantity, 'none'),
    path: 'resources.limits.cpu',
    about: 'Most processor time; a limit delays answers more than it helps, so there is none',
    default: null,
    probe: { set: '1500m', at: `${container}.resources.limits.cpu` },
  },
  {
    ...memory,
    mayGo: true,
    path: 'resources.limits.memory',
    about: 'Most memory; the heap of Node is derived from it',
    default: `${limitMi}Mi`,
    probe: { set: '1Gi', at: `${container}.resources.limits.memory` },
  },
  {
    ...quantity,
    mayGo: true,
    path: 'resources.limits.ephemeral-storage',
    about: 'Most disk; also the most that /tmp takes',
    default: '64Mi',
    probe: { set: '65Mi', at: `${pod}.volumes[name=tmp].emptyDir.sizeLimit` },
  },
  {
    ...orNull(whole(32, 65_536)),
    path: 'heapMiB',
    about: 'Heap of Node, MiB; what is beside the heap and a fifth more stay free when it is derived',
    default: null,
    probe: {
      set: 321,
      with: { 'resources.limits.memory': '1Gi' },
      at: `${container}.args[0]`,
      shows: '--max-old-space-size=321',
    },
  },
];

/** Where and beside what the pods run. @type {readonly Entry[]} */
const placeEntries = [
  {
    ...flag,
    path: 'assignedUser',
    global: true,
    about:
      'Whether pods name no user and groups, for clusters that give each namespace its own; on OpenShift they never do',
    default: false,
    probe: { set: true, at: `${pod}.securityContext.runAsUser`, shows: null },
  },
  {
    ...flag,
    path: 'topologySpread.enabled',
    about: 'Whether replicas are spread over nodes and zones',
    default: true,
    probe: { set: false, at: `${pod}.topologySpreadConstraints`, shows: null },
  },
  {
    ...whole(1, 10),
    path: 'topologySpread.maxSkew',
    about: 'By how many replicas nodes may differ',
    default: 1,
    probe: { set: 2, at: `${pod}.topologySpreadConstraints[0].maxSkew` },
  },
  {
    ...oneOf('ScheduleAnyway', 'DoNotSchedule'),
    path: 'topologySpread.whenUnsatisfiable',
    about: 'Whether a pod waits rather than share a node; zones are only preferred',
    default: 'ScheduleAnyway',
    probe: { set: 'DoNotSchedule', at: `${pod}.topologySpreadConstraints[0].whenUnsatisfiable` },
  },
  {
    ...asIn('object', 'an affinity as in a pod'),
    path: 'affinity',
    about: 'Affinity in place of the one that keeps replicas on different nodes where that is possible',
    default: {},
    probe: { set: { nodeAffinity: { probe: [] } }, at: `${pod}.affinity` },
  },
  {
    ...texts,
    path: 'nodeSelector',
    global: true,
    about: 'Labels of the nodes that may be used',
    default: {},
    probe: { set: { disk: 'fast' }, at: `${pod}.nodeSelector` },
  },
  {
    ...asIn('array', 'tolerations as in a pod'),
    path: 'tolerations',
    global: true,
    about: 'Taints of nodes that are tolerated',
    default: [],
    probe: { set: [{ key: 'probe', operator: 'Exists' }], at: `${pod}.tolerations` },
  },
  {
    ...nameOrNothing,
    path: 'priorityClassName',
    global: true,
    about: 'Priority of the pods; SOS calls pass here, so give one when nodes are shared',
    default: '',
    probe: { set: 'probe', at: `${pod}.priorityClassName` },
  },
];

/** @type {readonly Entry[]} */
const extraEntries = [
  {
    ...texts,
    path: 'podAnnotations',
    about: 'Annotations of the pods',
    default: {},
    probe: { set: { probe: 'x' }, at: 'Deployment#spec.template.metadata.annotations' },
  },
  {
    ...texts,
    path: 'podLabels',
    about: 'More labels of the pods',
    default: {},
    probe: { set: { probe: 'x' }, at: 'Deployment#spec.template.metadata.labels.probe', shows: 'x' },
  },
  {
    ...asIn('array', 'variables as in a container'),
    path: 'extraEnv',
    about: 'Variables that are not the service’s own, like NODE_EXTRA_CA_CERTS',
    default: [],
    probe: { set: [{ name: 'PROBE', value: 'x' }], at: `${container}.env[name=PROBE].value`, shows: 'x' },
  },
  {
    ...asIn('array', 'volumes as in a pod'),
    path: 'extraVolumes',
    about: 'More volumes',
    default: [],
    probe: { set: [{ name: 'probe', emptyDir: {} }], at: `${pod}.volumes[name=probe].emptyDir`, shows: {} },
  },
  {
    ...asIn('array', 'mounts as in a container'),
    path: 'extraVolumeMounts',
    about: 'More mounts',
    default: [],
    probe: {
      set: [{ name: 'probe', mountPath: '/probe' }],
      at: `${container}.volumeMounts[name=probe].mountPath`,
      shows: '/probe',
    },
  },
];

/** Everything about the pods but their variables. @param {{ limitMi: number, requestMi: number }} memory @returns {Entry[]} */
export const podEntries = ({ limitMi, requestMi }) => [
  ...resourceEntries(limitMi, requestMi),
  ...placeEntries,
  ...extraEntries,
];

import { patterns } from '@ranger-relay/runtime';
import { flag, network, shared } from '../entry.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */

const block = {
  type: 'object',
  required: ['cidr'],
  properties: { cidr: network, except: { type: 'array', items: network } },
};
const peerList = { type: 'array', items: { type: 'object', properties: { ipBlock: block } } };
/** @type {import('../entry.mjs').Form} */
export const peers = { schema: peerList, takes: 'peers as in a NetworkPolicy' };
const ports = {
  schema: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 } },
  takes: 'port numbers',
};
const peer = [{ podSelector: { matchLabels: { probe: 'x' } } }];
const only = { 'networkPolicy.internet.enabled': false };

/** Networks that are nobody's on the internet. */
const privateNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  'fc00::/7',
  'fe80::/10',
];

/** The place of an egress rule; they come in the order DNS, brokers, store, internet, declared. @param {number} index @param {string} path */
const egress = (index, path) => `NetworkPolicy#spec.egress[${index}].${path}`;

/** @type {readonly Entry[]} */
const serverEntries = [
  {
    ...peers,
    path: 'networkPolicy.dns.to',
    about: 'Where names are looked up: the usual pods, and the usual address of a cache on each node (NodeLocal DNS)',
    default: [
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
        podSelector: {
          matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns', 'coredns', 'node-local-dns'] }],
        },
      },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-dns' } } },
      { ipBlock: { cidr: '169.254.20.10/32' } },
    ],
    probe: { set: peer, at: egress(0, 'to') },
  },
  {
    ...ports,
    path: 'networkPolicy.dns.ports',
    about: 'Ports of the pods behind the cluster’s DNS; OpenShift’s listen to 5353',
    default: [53, 5353],
    probe: { set: [1053], at: egress(0, 'ports[0].port'), shows: 1053 },
  },
  {
    ...peers,
    path: 'networkPolicy.kafka.to',
    about: 'Where the brokers are; anywhere when empty',
    default: [],
    probe: { set: peer, at: egress(1, 'to') },
  },
  {
    ...ports,
    path: 'networkPolicy.kafka.ports',
    about: 'Ports of the brokers, those that they announce included; as in kafka.brokers when empty',
    default: [],
    probe: { set: [19_092], at: egress(1, 'ports[0].port'), shows: 19_092 },
  },
  {
    ...peers,
    path: 'networkPolicy.redis.to',
    about: 'Where the store and its sentinels are; anywhere when empty',
    default: [],
    probe: { set: peer, at: egress(2, 'to') },
  },
  {
    ...ports,
    path: 'networkPolicy.redis.ports',
    about: 'Ports of the store and its sentinels; as in redis when empty',
    default: [],
    probe: { set: [16_379], at: egress(2, 'ports[0].port'), shows: 16_379 },
  },
];

/** @type {readonly Entry[]} */
const outwardEntries = [
  {
    ...flag,
    path: 'networkPolicy.internet.enabled',
    about: 'Whether public addresses may be called: platform, vendor, sites',
    default: true,
    probe: { set: false, at: egress(3, 'to[0].ipBlock.cidr'), shows: null },
  },
  {
    ...ports,
    path: 'networkPolicy.internet.ports',
    about: 'Ports of public addresses',
    default: [443],
    probe: { set: [8443], at: egress(3, 'ports[0].port'), shows: 8443 },
  },
  {
    schema: { type: 'array', items: { type: 'string', pattern: patterns.subnet } },
    takes: 'networks like 10.0.0.0/8 or fc00::/7',
    path: 'networkPolicy.internet.except',
    about: 'Networks that are not public, IPv4 and IPv6',
    default: privateNetworks,
    probe: { set: ['10.0.0.0/8'], at: egress(3, 'to[0].ipBlock.except') },
  },
  {
    schema: { type: 'array', items: { type: 'object', properties: { to: peerList } } },
    takes: 'egress rules as in a NetworkPolicy',
    path: 'networkPolicy.egress',
    about: 'What else may be called: a platform in the cluster, a collector of traces',
    default: [],
    probe: {
      set: [{ to: peer, ports: [{ port: 4318 }] }],
      with: only,
      at: 'NetworkPolicy#spec.egress[3].to',
      shows: peer,
    },
  },
];

/** Who may talk to whom. @param {{ serves: boolean }} service @returns {Entry[]} */
export const policyEntries = ({ serves }) =>
  [
    {
      ...flag,
      path: 'networkPolicy.enabled',
      about: 'Whether everything is denied that is not named below',
      default: true,
      probe: { set: false, at: 'NetworkPolicy#' },
    },
    ...serverEntries,
    ...outwardEntries,
    ...(serves
      ? [
          {
            ...peers,
            path: 'networkPolicy.http.from',
            about: 'Who may send requests; name the namespace of the ingress controller where you know it',
            default: [{ namespaceSelector: {} }],
            probe: { set: peer, at: 'NetworkPolicy#spec.ingress[0].from' },
          },
        ]
      : [
          { ...peers, path: 'networkPolicy.http.from', about: 'Not used: this service takes no requests', default: [] },
        ]),
    {
      ...peers,
      path: 'networkPolicy.metrics.from',
      about: 'Who may read metrics; nobody when empty. The kubelet’s probes always pass',
      default: [],
      probe: { set: peer, at: `NetworkPolicy#spec.ingress[${serves ? 1 : 0}].from` },
    },
  ].map(shared);

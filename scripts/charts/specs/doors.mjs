import { duration, flag, hostName, nameOrNothing, network, oneOf, orNull, texts, whole } from '../entry.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */

const closed = 'this service takes no requests';

/** For a service without requests the same keys are there and stay off. @type {readonly Entry[]} */
const noIngress = [
  { ...flag, path: 'ingress.enabled', about: `Stays false: ${closed}`, default: false },
  { ...flag, path: 'httpRoute.enabled', about: `Stays false: ${closed}`, default: false },
];

/** @type {readonly Entry[]} */
const serviceEntries = [
  {
    ...oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
    path: 'service.type',
    about: 'How the requests’ Service is reached',
    default: 'ClusterIP',
    probe: { set: 'NodePort', at: 'Service#spec.type' },
  },
  {
    ...whole(1, 65_535),
    path: 'service.port',
    about: 'Port of the Service',
    default: 80,
    probe: { set: 8_000, at: 'Service#spec.ports[name=http].port' },
  },
  {
    ...orNull(whole(1, 65_535), 'chosen by the cluster'),
    path: 'service.nodePort',
    about: 'Port on the nodes, with a type that has one',
    default: null,
    probe: { set: 30_080, with: { 'service.type': 'NodePort' }, at: 'Service#spec.ports[name=http].nodePort' },
  },
  {
    ...texts,
    path: 'service.annotations',
    about: 'Annotations of the Service',
    default: {},
    probe: { set: { probe: 'x' }, at: 'Service#metadata.annotations' },
  },
  {
    ...oneOf('', 'Cluster', 'Local'),
    path: 'service.externalTrafficPolicy',
    about: 'Whether requests from outside stay on the node that they reach, which keeps the caller’s address',
    default: '',
    probe: { set: 'Local', with: { 'service.type': 'NodePort' }, at: 'Service#spec.externalTrafficPolicy' },
  },
  {
    schema: { type: 'array', items: network },
    takes: 'networks like 10.0.0.0/8',
    path: 'service.loadBalancerSourceRanges',
    about: 'Who may use the load balancer',
    default: [],
    probe: {
      set: ['10.0.0.0/8'],
      with: { 'service.type': 'LoadBalancer' },
      at: 'Service#spec.loadBalancerSourceRanges',
    },
  },
];

const ingress = { 'ingress.enabled': true, 'ingress.hosts': ['relay.example'] };
const route = { 'httpRoute.enabled': true, 'httpRoute.parentRefs': [{ name: 'outer' }] };
const paths = { type: 'array', minItems: 1, items: { type: 'string', pattern: '^/[-A-Za-z0-9._~/]*$' } };
const nginx = { ...ingress, 'ingress.controller': 'nginx' };

/** @param {readonly string[]} open paths that are let in @returns {Entry[]} */
const ingressEntries = (open) => [
  {
    ...flag,
    path: 'ingress.enabled',
    about: 'Whether an Ingress lets requests in',
    default: false,
    probe: { set: true, with: { 'ingress.hosts': ['relay.example'] }, at: 'Ingress#' },
  },
  {
    ...nameOrNothing,
    path: 'ingress.className',
    about: 'Class of the Ingress; the cluster’s default one when empty',
    default: '',
    probe: { set: 'probe', with: ingress, at: 'Ingress#spec.ingressClassName' },
  },
  {
    ...oneOf('', 'nginx'),
    path: 'ingress.controller',
    about:
      'Adds the annotations by which a known controller takes bodies as large and waits as long as the service does',
    default: '',
    probe: {
      set: 'nginx',
      with: { ...ingress, 'ingress.annotations': { probe: 'x' } },
      at: 'Ingress#metadata.annotations["nginx.ingress.kubernetes.io/proxy-request-buffering"]',
      shows: 'on',
    },
  },
  {
    ...texts,
    path: 'ingress.annotations',
    about: 'Annotations of the Ingress; they count before the known ones',
    default: {},
    probe: {
      set: { 'nginx.ingress.kubernetes.io/proxy-body-size': '77m' },
      with: nginx,
      at: 'Ingress#metadata.annotations["nginx.ingress.kubernetes.io/proxy-body-size"]',
      shows: '77m',
    },
  },
  {
    schema: { type: 'array', items: hostName.schema, uniqueItems: true },
    takes: 'host names, each once',
    path: 'ingress.hosts',
    about: 'Hosts that are served',
    default: [],
    probe: {
      set: ['probe.example'],
      with: { 'ingress.enabled': true },
      at: 'Ingress#spec.rules[0].host',
      shows: 'probe.example',
    },
  },
  {
    schema: paths,
    takes: 'starts of paths',
    path: 'ingress.paths',
    about: 'Paths that are let in; also the HTTPRoute’s',
    default: [...open],
    probe: { set: ['/probe'], with: ingress, at: 'Ingress#spec.rules[0].http.paths[0].path', shows: '/probe' },
  },
  {
    ...flag,
    path: 'ingress.tls.enabled',
    about: 'Whether callers must use TLS; tokens travel in the clear without it',
    default: true,
    probe: { set: false, with: ingress, at: 'Ingress#spec.tls', shows: null },
  },
  {
    ...nameOrNothing,
    path: 'ingress.tls.secretName',
    about: 'Secret with the certificate; the controller’s default one when empty',
    default: '',
    probe: { set: 'probe', with: ingress, at: 'Ingress#spec.tls[0].secretName' },
  },
];

/** @type {readonly Entry[]} */
const routeEntries = [
  {
    ...flag,
    path: 'httpRoute.enabled',
    about: 'Whether an HTTPRoute of the Gateway API lets requests in',
    default: false,
    probe: { set: true, with: { 'httpRoute.parentRefs': [{ name: 'outer' }] }, at: 'HTTPRoute#' },
  },
  {
    ...texts,
    path: 'httpRoute.annotations',
    about: 'Annotations of the HTTPRoute',
    default: {},
    probe: { set: { probe: 'x' }, with: route, at: 'HTTPRoute#metadata.annotations' },
  },
  {
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', minLength: 1, maxLength: 253 } },
      },
    },
    takes: 'references as in an HTTPRoute, each with a `name`',
    path: 'httpRoute.parentRefs',
    about: 'Gateways, and their listeners with TLS, to which the route belongs',
    default: [],
    probe: {
      set: [{ name: 'probe', sectionName: 'https' }],
      with: { 'httpRoute.enabled': true },
      at: 'HTTPRoute#spec.parentRefs',
    },
  },
  {
    schema: { type: 'array', items: hostName.schema, uniqueItems: true },
    takes: 'host names, each once',
    path: 'httpRoute.hostnames',
    about: 'Hosts that are served; the Gateway’s when empty',
    default: [],
    probe: { set: ['probe.example'], with: route, at: 'HTTPRoute#spec.hostnames' },
  },
  {
    schema: { ...duration.schema, type: ['string', 'null'] },
    takes: `${duration.takes}; derived when null`,
    path: 'httpRoute.requestTimeout',
    about: 'How long a request may take; what the service itself allows and a little more when derived',
    default: null,
    probe: { set: '77s', with: route, at: 'HTTPRoute#spec.rules[0].timeouts.request' },
  },
];

/** How requests come in. @param {{ paths: readonly string[] | undefined }} service undefined when it takes none @returns {Entry[]} */
export const ingestLogEntries = ({ paths: open }) =>
  open === undefined ? [...noIngress] : [...serviceEntries, ...ingressEntries(open), ...routeEntries];

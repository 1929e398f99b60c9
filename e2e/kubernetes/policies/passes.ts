import { BlockList, isIP } from 'node:net';
import type { V1LabelSelector, V1NetworkPolicyPeer, V1NetworkPolicyPort } from '@kubernetes/client-node';
import type { Wire } from '../harness/wire.ts';
import type { End, Policy } from './model.ts';

type Peer = Wire<V1NetworkPolicyPeer>;
type PolicyPort = Wire<V1NetworkPolicyPort>;
/** One rule of a policy, for one direction: `peers` is its `from` or its `to`. */
interface Rule {
  readonly peers: readonly Peer[] | undefined;
  readonly ports?: readonly PolicyPort[];
}

/** Whether labels fit a selector, as the API defines it. */
const fits = (
  { matchLabels = {}, matchExpressions = [] }: Wire<V1LabelSelector>,
  labels: End['labels'] = {},
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === 'In' ? isIn : !isIn;
  });

const inside = (cidr: string, address: string): boolean => {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) !== isIP(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
};

/** Whether one end is what a rule of a policy in a namespace names. */
const isPeer = ({ podSelector, namespaceSelector, ipBlock }: Peer, end: End, namespace: string): boolean => {
  if (ipBlock)
    return inside(ipBlock.cidr, end.address) && !(ipBlock.except ?? []).some((cidr) => inside(cidr, end.address));
  if (end.namespace === undefined) return false;
  const isThere = namespaceSelector ? fits(namespaceSelector, end.namespace.labels) : end.namespace.name === namespace;
  return isThere && fits(podSelector ?? {}, end.labels);
};

/** Whether a port of the called end is what a rule names. */
const isPort = (
  { protocol = 'TCP', port, endPort }: PolicyPort,
  called: End,
  wanted: { readonly port: number; readonly protocol: string },
): boolean => {
  if (protocol !== wanted.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === 'string') return called.ports?.[port] === wanted.port;
  return wanted.port >= port && wanted.port <= (endPort ?? port);
};

/** What is tried: who calls whom, at which port. */
interface Attempt {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol?: string;
}

type Direction = 'Ingress' | 'Egress';

const typesOf = ({ spec }: Policy): readonly string[] =>
  spec.policyTypes ?? ['Ingress', ...(spec.egress === undefined ? [] : ['Egress'])];

const policiesFor = (policies: readonly Policy[], pod: End, direction: Direction): readonly Policy[] =>
  policies.filter(
    (policy) =>
      policy.metadata.namespace === pod.namespace?.name &&
      typesOf(policy).includes(direction) &&
      fits(policy.spec.podSelector ?? {}, pod.labels),
  );

const allows = ({ peers, ports }: Rule, other: End, namespace: string, attempt: Required<Attempt>): boolean =>
  (peers === undefined || peers.length === 0 || peers.some((peer) => isPeer(peer, other, namespace))) &&
  (ports === undefined || ports.length === 0 || ports.some((port) => isPort(port, attempt.to, attempt)));

const rulesOf = ({ ingress = [], egress = [] }: Policy['spec'], direction: Direction): readonly Rule[] =>
  direction === 'Ingress'
    ? ingress.map(({ from, ...rule }) => ({ ...rule, peers: from }))
    : egress.map(({ to, ...rule }) => ({ ...rule, peers: to }));

/** Whether one end lets an attempt out or in: it does unless a policy is about it, and then when a rule of one says so. */
const agrees = (policies: readonly Policy[], end: End, direction: Direction, attempt: Required<Attempt>): boolean => {
  const about = policiesFor(policies, end, direction);
  if (end.namespace === undefined || about.length === 0) return true;
  const other = direction === 'Ingress' ? attempt.from : attempt.to;
  return about.some(({ metadata: { namespace = '' }, spec }) =>
    rulesOf(spec, direction).some((rule) => allows(rule, other, namespace, attempt)),
  );
};

/**
 * Whether a network that enforces the policies lets an attempt pass, as networking.k8s.io/v1 defines it: both ends must agree. What a node
 * asks its own pods always passes and is not modelled.
 */
export const passes = (policies: readonly Policy[], attempt: Attempt): boolean => {
  const whole = { protocol: 'TCP', ...attempt };
  return agrees(policies, attempt.from, 'Egress', whole) && agrees(policies, attempt.to, 'Ingress', whole);
};

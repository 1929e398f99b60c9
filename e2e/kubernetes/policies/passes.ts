import type { End, Policy, Rule } from './model.ts';
import { fits, isPeer, isPort } from './selectors.ts';

/** What is tried: who calls whom, at which port. */
export interface Attempt {
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
      fits(policy.spec.podSelector, pod.labels),
  );

const allows = (rule: Rule, peers: Rule['from'], other: End, namespace: string, attempt: Required<Attempt>): boolean =>
  (peers === undefined || peers.length === 0 || peers.some((peer) => isPeer(peer, other, namespace))) &&
  (rule.ports === undefined || rule.ports.length === 0 || rule.ports.some((port) => isPort(port, attempt.to, attempt)));

/** Whether one end lets an attempt out or in: it does unless a policy is about it, and then when a rule of one says so. */
const agrees = (policies: readonly Policy[], end: End, direction: Direction, attempt: Required<Attempt>): boolean => {
  const about = policiesFor(policies, end, direction);
  if (end.namespace === undefined || about.length === 0) return true;
  const other = direction === 'Ingress' ? attempt.from : attempt.to;
  return about.some(({ metadata: { namespace }, spec }) =>
    ((direction === 'Ingress' ? spec.ingress : spec.egress) ?? []).some((rule) =>
      allows(rule, direction === 'Ingress' ? rule.from : rule.to, other, namespace, attempt),
    ),
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

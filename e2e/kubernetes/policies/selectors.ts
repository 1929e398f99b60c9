import { BlockList, isIP } from 'node:net';
import type { End, LabelSelector, Peer, PolicyPort } from './model.ts';

/** Whether labels fit a selector, as the API defines it. */
export const fits = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: End['labels'] = {}): boolean =>
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
export const isPeer = ({ podSelector, namespaceSelector, ipBlock }: Peer, end: End, namespace: string): boolean => {
  if (ipBlock)
    return inside(ipBlock.cidr, end.address) && !(ipBlock.except ?? []).some((cidr) => inside(cidr, end.address));
  if (end.namespace === undefined) return false;
  const isThere = namespaceSelector ? fits(namespaceSelector, end.namespace.labels) : end.namespace.name === namespace;
  return isThere && fits(podSelector ?? {}, end.labels);
};

/** Whether a port of the called end is what a rule names. */
export const isPort = (
  { protocol = 'TCP', port, endPort }: PolicyPort,
  called: End,
  wanted: { readonly port: number; readonly protocol: string },
): boolean => {
  if (protocol !== wanted.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === 'string') return called.ports?.[port] === wanted.port;
  return wanted.port >= port && wanted.port <= (endPort ?? port);
};

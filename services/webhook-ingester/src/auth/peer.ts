import { isIP, type BlockList } from 'node:net';

/** The address without IPv6 zone and without the IPv6 form of an IPv4 address. */
export const normalizeAddress = (address: string): string => {
  const plain = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  return mapped?.[1] ?? plain;
};

/** Whether the socket's peer is inside the networks; an unknown peer is not. */
export const isTrustedPeer = (networks: BlockList, address: string | undefined): boolean => {
  const plain = normalizeAddress(address ?? '');
  const family = isIP(plain);
  return family !== 0 && networks.check(plain, family === 6 ? 'ipv6' : 'ipv4');
};

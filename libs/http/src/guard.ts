import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { blockListOf } from '@ranger-relay/runtime';

/** IPv4 networks without public addresses: private, shared, loopback, link-local, documentation, multicast, reserved. */
const ipv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** IPv6 networks without public addresses, tunnels that contain an IPv4 address (compatible, 6to4, Teredo, local NAT64), and segment routing. */
const ipv6 = [
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

const privateNetworks = (): BlockList => {
  const list = new BlockList();
  for (const family of [ipv4, ipv6])
    for (const network of family) {
      const [address = '', bits] = network.split('/');
      list.addSubnet(address, Number(bits), family === ipv6 ? 'ipv6' : 'ipv4');
    }
  return list;
};

/** Created on first use, so that a program that only calls a known server starts without it. */
let blocked: BlockList | undefined;

/** Mapped addresses (`::ffff:0:0/96`) and public NAT64 (`64:ff9b::/96`) contain an IPv4 address in their last 32 bits. */
const carriesIpv4 = /^(?:::ffff:|64:ff9b::)(.+)$/;

/** The canonical text of an IPv6 address without a zone, as in URLs. */
const canonical = (address: string): string => new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);

const dotted = (groups: string): string | undefined => {
  const parts = groups.split(':');
  if (parts.length > 2) return undefined;
  const [low = '0', high = '0'] = parts.toReversed();
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
};

/** The IPv4 address in an IPv6 address, if there is one. */
const embedded = (address: string): string | undefined => {
  const groups = carriesIpv4.exec(canonical(address))?.[1];
  return groups === undefined ? undefined : dotted(groups);
};

/**
 * Normalizes an address for the check: an IPv4 address in IPv6 becomes IPv4, IPv6 becomes canonical. Undefined for a text that is not an
 * address.
 */
export const plainAddress = (address: string): string | undefined => {
  const family = isIP(address);
  if (family === 0) return undefined;
  return family === 4 ? address : (embedded(address) ?? canonical(address));
};

/** Whether a list of networks contains a normalized address. */
const inside = (list: BlockList, plain: string): boolean => list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');

/** Whether a normalized address is not public. */
export const isPrivate = (plain: string): boolean => inside((blocked ??= privateNetworks()), plain);

/** Protocols of requests. */
export type Protocol = 'http:' | 'https:';

/** The reason why a call must not go to an address. */
export class AddressRefusal extends Error {
  override readonly name = 'AddressRefusal';
  readonly why: 'address' | 'scheme';
  readonly address: string;

  constructor(why: 'address' | 'scheme', address: string) {
    super(`${why} refused`);
    this.why = why;
    this.address = address;
  }
}

/** Decides which addresses a client may reach. */
export interface Guard {
  /** Undefined when a call may go there. */
  refusal(protocol: Protocol, address: string): AddressRefusal | undefined;
  /** Returns the addresses of a name that may be reached. @throws AddressRefusal when none may */
  admit(protocol: Protocol, addresses: readonly LookupAddress[]): LookupAddress[];
}

/** Creates a guard that permits private addresses and plain http only in the given networks, and public addresses only with https. */
export const createGuard = (allowed: BlockList): Guard => {
  const refusal: Guard['refusal'] = (protocol, address) => {
    const plain = plainAddress(address);
    if (plain === undefined) return new AddressRefusal('address', address);
    if (inside(allowed, plain)) return undefined;
    if (isPrivate(plain)) return new AddressRefusal('address', address);
    return protocol === 'https:' ? undefined : new AddressRefusal('scheme', address);
  };

  return {
    refusal,
    admit(protocol, addresses) {
      const refusals: AddressRefusal[] = [];
      const good = addresses.filter(({ address }) => {
        const refused = refusal(protocol, address);
        if (refused) refusals.push(refused);
        return refused === undefined;
      });
      const [first] = refusals;
      if (good.length === 0 && first) throw first;
      return good;
    },
  };
};

const remedy = 'add its network to HTTP_ALLOWED_NETWORKS if this is intended';

/**
 * Why no call to an address is allowed, whatever its name resolves to, as the end of a sentence; undefined when one may be. A name that is
 * called by plain http, or resolves to a private address, may be in an allowed network.
 */
export const refusalOf = (address: string, allowedNetworks: readonly string[]): string | undefined => {
  const { protocol, hostname, origin } = new URL(address);
  const literal = hostname.replaceAll(/^\[|\]$/g, '');
  const isName = isIP(literal) === 0;
  const refused = isName
    ? protocol === 'http:' && allowedNetworks.length === 0
      ? 'scheme'
      : undefined
    : createGuard(blockListOf(allowedNetworks)).refusal(protocol as Protocol, literal)?.why;
  if (refused === undefined) return undefined;
  return refused === 'scheme'
    ? `names ${origin}, which would be called by plain http; use https, or ${remedy}`
    : `names ${origin}, a private address; ${remedy}`;
};

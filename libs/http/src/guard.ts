import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are nobody's public address: private, shared, loopback, link-local, documentation, multicast, reserved. */
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

/** The same for IPv6, with the tunnels that hide an IPv4 address (compatible, 6to4, Teredo, local NAT64) and segment routing. */
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

/** Made when an address is judged: a program that calls one known server starts without it. */
let blocked: BlockList | undefined;

/** Mapped addresses (`::ffff:0:0/96`) and public NAT64 (`64:ff9b::/96`) stand for the IPv4 address in their last 32 bits. */
const carriesIpv4 = /^(?:::ffff:|64:ff9b::)(.+)$/;

/** The eight groups' canonical text of an IPv6 address without a zone, as URLs write it. */
const canonical = (address: string): string => new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);

const dotted = (groups: string): string | undefined => {
  const parts = groups.split(':');
  if (parts.length > 2) return undefined;
  const [low = '0', high = '0'] = parts.toReversed();
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
};

/** The IPv4 address that an IPv6 address stands for, if any. */
const embedded = (address: string): string | undefined => {
  const groups = carriesIpv4.exec(canonical(address))?.[1];
  return groups === undefined ? undefined : dotted(groups);
};

/**
 * An address in the form in which it is judged: IPv4 that hides in IPv6 as IPv4, IPv6 canonical.
 * Undefined when the text is no address.
 */
export const plainAddress = (address: string): string | undefined => {
  const family = isIP(address);
  if (family === 0) return undefined;
  return family === 4 ? address : (embedded(address) ?? canonical(address));
};

/** Whether a list of networks holds an address in its plain form. */
const inside = (list: BlockList, plain: string): boolean => list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');

/** Whether an address in its plain form is not a public one. */
export const isPrivate = (plain: string): boolean => inside((blocked ??= privateNetworks()), plain);

/** Protocols that requests are made with. */
export type Protocol = 'http:' | 'https:';

/** Why a call must not go to an address. */
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

/** Decides which addresses may be reached. */
export interface Guard {
  /** Undefined when a call may go there. */
  refusal(protocol: Protocol, address: string): AddressRefusal | undefined;
  /** Those of a name's addresses that may be reached. @throws AddressRefusal when none may */
  admit(protocol: Protocol, addresses: readonly LookupAddress[]): LookupAddress[];
}

/** Private addresses and plain http are allowed inside the given networks only; public addresses with https only. */
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

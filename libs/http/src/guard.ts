import type { LookupAddress } from 'node:dns';
import type { BlockList } from 'node:net';
import { inside, isPrivate, plainAddress } from './ranges.ts';

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

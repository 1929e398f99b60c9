import { isIP } from 'node:net';
import { AddressRefusal, createGuard, type Guard, type Protocol, type Resolve } from '@ranger-relay/http';
import { blockListOf } from '@ranger-relay/runtime';
import { plural } from '@ranger-relay/terminal';
import { failed, ok, skipped, type Check, type Finding } from '../finding.ts';
import type { Place } from '../places.ts';

const name = 'network rules';

const refusalText = (place: Place, host: string, { why, address }: AddressRefusal): Finding =>
  why === 'address'
    ? failed(
        name,
        `${place.of}: ${host} leads to the private address ${address}`,
        'Put its network into HTTP_ALLOWED_NETWORKS if that is meant.',
      )
    : failed(
        name,
        `${place.of}: ${host} is spoken to with plain http`,
        'Use https, or put its network into HTTP_ALLOWED_NETWORKS if that is meant.',
      );

const judge = async (place: Place, guard: Guard, resolve: Resolve): Promise<Finding | null> => {
  const { protocol, hostname, host } = new URL(place.origin);
  const literal = hostname.replaceAll(/^\[|\]$/g, '');
  const family = isIP(literal);
  try {
    const addresses = family ? [{ address: literal, family }] : await resolve(hostname, 0);
    guard.admit(protocol as Protocol, addresses);
    return null;
  } catch (error) {
    if (error instanceof AddressRefusal) return refusalText(place, host, error);
    return failed(name, `${place.of}: ${host} cannot be resolved`, 'The name, and the name service of this machine.');
  }
};

/** Resolves every configured address and judges it by the rules of outgoing calls, without calling it. */
export const networkCheck = (
  allowedNetworks: readonly string[],
  resolve: Resolve,
  places: () => Promise<readonly Place[]>,
): Check => ({
  name,
  async ask() {
    const asked = await places();
    if (asked.length === 0) return [skipped(name, 'no address is known here')];
    const guard = createGuard(blockListOf(allowedNetworks));
    const findings = await Promise.all(asked.map((place) => judge(place, guard, resolve)));
    const bad = findings.filter((finding) => finding !== null);
    return bad.length > 0 ? bad : [ok(name, `${plural(asked.length, 'address', 'addresses')} may be reached`)];
  },
});

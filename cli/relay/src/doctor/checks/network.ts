import { isIP } from 'node:net';
import { credentialsOf, isActiveUser, readAuthConfig } from '@ranger-relay/action-runner';
import { createInbound, inboundBase, type InboundOutcome, readInboundConfig } from '@ranger-relay/device';
import { entryOf } from '@ranger-relay/errors';
import {
  AddressRefusal,
  createGuard,
  type Guard,
  type HttpClient,
  type Protocol,
  type Resolve,
} from '@ranger-relay/http';
import { blockListOf, type Clock } from '@ranger-relay/runtime';
import { openSiteReader } from '@ranger-relay/site';
import { plural } from '@ranger-relay/terminal';
import { silentLog } from '../../actions/workbench.ts';
import type { Account } from '../facts.ts';
import { type Check, failed, type Finding, ok, skipped } from '../finding.ts';
import type { Place } from '../places.ts';

/** Dependencies of calls to sites. */
interface SiteDependencies {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** SITE_CLIENT_ID. */
  readonly clientId: string;
}

/** Asks a site for the user of an integration's credentials. */
export const siteAccount =
  ({ http, clock, clientId }: SiteDependencies) =>
  async ({ integration, auth }: Account, name: string, signal: AbortSignal): Promise<Finding> => {
    const { base_url: baseUrl } = integration;
    if (!baseUrl)
      return failed(name, 'it has no address', 'Set the address of the site at the integration in the portal.');
    const credentials = credentialsOf(readAuthConfig(auth));
    const reader = openSiteReader({ baseUrl, credentials, clientId, http, clock, log: silentLog(), signal });
    const active = isActiveUser(await reader.get('user/me'));
    const { host } = new URL(reader.root);
    return active
      ? ok(name, `${host} accepts the credentials`)
      : failed(
          name,
          `the user of the credentials is not active at ${host}`,
          'Activate the user at the site, or use another user.',
        );
  };

const pingMs = 15_000;

const pinged = (name: string, host: string, outcome: InboundOutcome): Finding =>
  outcome.kind === 'accepted'
    ? ok(name, `${host} accepts the credentials`)
    : failed(name, outcome.error.message, entryOf(outcome.error.code).check);

/** Checks the settings of the vendor account; with `ping` also calls the vendor, which causes an event at the device. */
export const vendorAccount =
  (http: Pick<HttpClient, 'request'>, ping: boolean) =>
  async ({ auth }: Account, name: string): Promise<Finding> => {
    const config = readInboundConfig(auth);
    if (typeof config === 'string')
      return failed(name, `${config} is missing`, 'Fill in the action `auth` of the integration in the portal.');
    const { host } = new URL(inboundBase(config.apiUrl));
    if (!ping) return ok(name, `complete, for ${host}; --ping calls the vendor, and causes an event at the device`);
    return pinged(name, host, await createInbound({ http, timeoutMs: pingMs }).pingback(config));
  };

const name = 'network rules';

const refusalText = (place: Place, host: string, { why, address }: AddressRefusal): Finding =>
  why === 'address'
    ? failed(
        name,
        `${place.of}: ${host} resolves to the private address ${address}`,
        'If this is intended, add its network to HTTP_ALLOWED_NETWORKS.',
      )
    : failed(
        name,
        `${place.of}: ${host} is called by plain http`,
        'Use https, or, if this is intended, add its network to HTTP_ALLOWED_NETWORKS.',
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
    return failed(name, `${place.of}: ${host} cannot be resolved`, 'Check the name, and the DNS of this machine.');
  }
};

/** Resolves every configured address and applies the rules of outgoing calls, without calling it. */
export const networkCheck = (
  allowedNetworks: readonly string[],
  resolve: Resolve,
  places: () => Promise<readonly Place[]>,
): Check => ({
  name,
  async ask() {
    const asked = await places();
    if (asked.length === 0) return [skipped(name, 'no address is configured')];
    const guard = createGuard(blockListOf(allowedNetworks));
    const findings = await Promise.all(asked.map((place) => judge(place, guard, resolve)));
    const bad = findings.filter((finding) => finding !== null);
    return bad.length > 0 ? bad : [ok(name, `${plural(asked.length, 'address', 'addresses')} may be called`)];
  },
});

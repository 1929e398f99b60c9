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
  proxyFor,
  type ProxySettings,
  proxySettings,
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

const refusalText = (place: Pick<Place, 'of'>, host: string, { why, address }: AddressRefusal): Finding =>
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

/** How an address is judged: by the protocol of the calls that go there. */
interface Rules {
  readonly guard: Guard;
  readonly resolve: Resolve;
  readonly proxies: ProxySettings;
}

const judge = async (
  place: Pick<Place, 'of' | 'origin'>,
  { guard, resolve, proxies }: Rules,
  carried?: Protocol,
): Promise<Finding | null> => {
  const { protocol: own, hostname, host } = new URL(place.origin);
  const protocol = carried ?? (own as Protocol);
  const literal = hostname.replaceAll(/^\[|\]$/g, '');
  const family = isIP(literal);
  try {
    const addresses = family ? [{ address: literal, family }] : await resolve(hostname, 0);
    guard.admit(protocol, addresses);
    return null;
  } catch (error) {
    if (error instanceof AddressRefusal) return refusalText(place, host, error);
    // A name that only the proxy knows is for the proxy to resolve.
    if (carried === undefined && proxyFor(proxies, protocol) !== undefined) return null;
    return failed(name, `${place.of}: ${host} cannot be resolved`, 'Check the name, and the DNS of this machine.');
  }
};

const carriers = [
  ['https:', 'HTTPS_PROXY'],
  ['http:', 'HTTP_PROXY'],
] as const satisfies readonly (readonly [Protocol, string])[];

/** A proxy as a finding names it: without its credentials. */
interface Proxy {
  readonly of: string;
  readonly protocol: Protocol;
  readonly url: URL | null;
}

const proxiesIn = (settings: ProxySettings): Proxy[] =>
  carriers.flatMap(([protocol, of]) => {
    const address = proxyFor(settings, protocol);
    return address === undefined ? [] : [{ of, protocol, url: URL.parse(address) }];
  });

const judgeProxy = async ({ of, protocol, url }: Proxy, rules: Rules): Promise<Finding | null> =>
  url && /^https?:$/.test(url.protocol)
    ? judge({ of, origin: url.origin }, rules, protocol)
    : failed(name, `${of} is no address of a proxy`, 'Write it as http://host:port.');

/**
 * Resolves every configured address, and that of a proxy, and applies the rules of outgoing calls, without calling it.
 * @param env may name a proxy
 */
export const networkCheck = (
  allowedNetworks: readonly string[],
  resolve: Resolve,
  places: () => Promise<readonly Place[]>,
  env: NodeJS.ProcessEnv,
): Check => ({
  name,
  async ask() {
    const asked = await places();
    if (asked.length === 0) return [skipped(name, 'no address is configured')];
    const settings = proxySettings(env);
    const proxies = proxiesIn(settings);
    const rules = { guard: createGuard(blockListOf(allowedNetworks)), resolve, proxies: settings };
    const judged = [...asked.map((place) => judge(place, rules)), ...proxies.map((proxy) => judgeProxy(proxy, rules))];
    const bad = (await Promise.all(judged)).filter((finding) => finding !== null);
    if (bad.length > 0) return bad;
    const by = proxies.map(({ of, url }) => `, ${of} by ${url?.host}`).join('');
    return [ok(name, `${plural(asked.length, 'address', 'addresses')} may be called${by}`)];
  },
});

import type { LookupAddress } from 'node:dns';
import { BoundedMap, type Clock, within } from '@ranger-relay/runtime';
import type { Resolve } from './agents.ts';
import type { Guard, Protocol } from './guard.ts';

/** The proxies of a process, as Node reads them. */
export interface ProxySettings {
  readonly HTTP_PROXY?: string;
  readonly HTTPS_PROXY?: string;
  readonly NO_PROXY: string;
}

/** Services of this machine are never behind a proxy. */
const loopback = 'localhost,127.0.0.0-127.255.255.255,::1,[::1]';

/** The proxies that an environment names. As for curl and Node, a variable in lower case counts before the one in upper case. */
export const proxySettings = (env: NodeJS.ProcessEnv): ProxySettings => {
  const valueOf = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  const [http, https, none] = [valueOf('HTTP_PROXY'), valueOf('HTTPS_PROXY'), valueOf('NO_PROXY')];
  return {
    ...(http === '' ? {} : { HTTP_PROXY: http }),
    ...(https === '' ? {} : { HTTPS_PROXY: https }),
    NO_PROXY: none === '' ? loopback : `${none},${loopback}`,
  };
};

/** Address of the proxy for calls of a protocol; undefined when there is none. */
export const proxyFor = (settings: ProxySettings, protocol: Protocol): string | undefined =>
  protocol === 'https:' ? settings.HTTPS_PROXY : settings.HTTP_PROXY;

/** Checks the name of a target that the proxy resolves. @throws AddressRefusal */
type CheckName = (protocol: Protocol, hostname: string) => Promise<void>;

const resolveMs = 1_000;
const knownMs = 60_000;
const knownNames = 1_000;

/** Creates the check. A name that this machine cannot resolve in a second passes: only the proxy may know it. */
export const createNameCheck = (guard: Guard, resolve: Resolve, clock: Clock): CheckName => {
  const known = new BoundedMap<{ readonly at: number; readonly addresses: readonly LookupAddress[] }>(knownNames);
  return async (protocol, hostname) => {
    let found = known.get(hostname);
    if (!found || clock.monotonic() - found.at > knownMs) {
      const resolving = resolve(hostname, 0).catch((): readonly LookupAddress[] => []);
      const addresses = await within({ clock, ms: resolveMs }, resolving, () => []);
      found = { at: clock.monotonic(), addresses };
      known.set(hostname, found);
    }
    guard.admit(protocol, found.addresses);
  };
};

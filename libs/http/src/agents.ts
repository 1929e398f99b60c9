import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import * as tls from 'node:tls';
import { callbackify } from 'node:util';
import type { Guard, Protocol } from './guard.ts';
import type { ProxySettings } from './proxy.ts';

/** Resolves a host name. */
export type Resolve = (hostname: string, family: 0 | 4 | 6) => Promise<readonly LookupAddress[]>;

/** The connections to one upstream. */
export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  close(): void;
}

/** Options of the connections. */
export interface AgentsOptions {
  readonly guard: Guard;
  readonly maxSockets: number;
  readonly resolve?: Resolve;
  /** PEM of authorities that are trusted in addition to those of Node. */
  readonly ca?: string;
  readonly proxy?: ProxySettings;
}

/** Shorter than the usual 5 s of servers, so that a request rarely meets a connection that the server is closing. */
const idleMs = 4_000;
/** Links over satellites need more than the platform default of 250 ms per address. */
const perAddressMs = 1_000;

/** The system's resolver. */
export const resolveBySystem: Resolve = (hostname, family) => systemLookup(hostname, { all: true, family });

const familyOf = (family: unknown): 0 | 4 | 6 => {
  if (family === 4 || family === 'IPv4') return 4;
  return family === 6 || family === 'IPv6' ? 6 : 0;
};

/** A lookup that checks the addresses once; the connection uses the checked addresses. */
const guardedLookup = (guard: Guard, protocol: Protocol, resolve: Resolve): LookupFunction => {
  const find = callbackify(async (hostname: string, family: 0 | 4 | 6) => {
    const good = guard.admit(protocol, await resolve(hostname, family));
    const [first] = good;
    if (!first) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
    return { good, first };
  });
  return (hostname, { all, family }, callback) =>
    find(hostname, familyOf(family), (error, found) => {
      if (error) return callback(error, '', 0);
      return all ? callback(null, found.good) : callback(null, found.first.address, found.first.family);
    });
};

/** Checks the peer as soon as a connection is open, before any part of the request is written. */
const watchPeers = (agent: HttpAgent, guard: Guard, protocol: Protocol): void => {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = create(options, callback) as Socket | undefined;
    socket?.prependListener('connect', () => {
      const refused = guard.refusal(protocol, socket.remoteAddress ?? '');
      if (refused) socket.destroy(refused);
    });
    return socket;
  };
};

/** Authorities that Node trusts; before 22.15 it reports only the bundled ones. */
const trusted = (): readonly string[] => {
  const { getCACertificates } = tls as Partial<typeof tls>;
  return getCACertificates?.('default') ?? tls.rootCertificates;
};

/** Creates the agents of an upstream, with persistent, counted and guarded connections. The guard judges the address of a proxy too. */
export const createAgents = ({ guard, maxSockets, resolve = resolveBySystem, ca, proxy }: AgentsOptions): Agents => {
  const optionsFor = (protocol: Protocol): AgentOptions => ({
    keepAlive: true,
    maxSockets,
    maxFreeSockets: maxSockets,
    timeout: idleMs,
    scheduling: 'lifo',
    autoSelectFamilyAttemptTimeout: perAddressMs,
    lookup: guardedLookup(guard, protocol, resolve),
    ...(proxy ? { proxyEnv: { ...proxy } } : {}),
  });
  const http = new HttpAgent(optionsFor('http:'));
  const trust = ca === undefined ? {} : { ca: [...trusted(), ca] };
  const https = new HttpsAgent({ ...optionsFor('https:'), ...trust });
  watchPeers(http, guard, 'http:');
  watchPeers(https, guard, 'https:');
  return {
    http,
    https,
    close() {
      http.destroy();
      https.destroy();
    },
  };
};

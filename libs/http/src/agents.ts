import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import * as tls from 'node:tls';
import { callbackify } from 'node:util';
import type { Guard, Protocol } from './guard.ts';

/** Finds the addresses of a name. */
export type Resolve = (hostname: string, family: 0 | 4 | 6) => Promise<readonly LookupAddress[]>;

/** The connections to one upstream. */
export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  close(): void;
}

/** How connections are kept. */
export interface AgentsOptions {
  readonly guard: Guard;
  readonly maxSockets: number;
  readonly resolve?: Resolve;
  /** PEM of authorities that are trusted beside those that Node trusts. */
  readonly ca?: string;
  /** Environment that names a proxy. */
  readonly proxy?: NodeJS.ProcessEnv;
}

/** Idle connections are closed before servers with the usual 5 s do it, so that a request seldom meets a closing one. */
const idleMs = 4_000;
/** Links over satellites need more than the platform default of 250 ms per address. */
const perAddressMs = 1_000;

const resolveBySystem: Resolve = (hostname, family) => systemLookup(hostname, { all: true, family });

const familyOf = (family: unknown): 0 | 4 | 6 => {
  if (family === 4 || family === 'IPv4') return 4;
  return family === 6 || family === 'IPv6' ? 6 : 0;
};

/** A lookup whose answer is what is connected to: the addresses are judged once and used as they are. */
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

/** Judges the peer as soon as the connection stands, before anything of the request is written. */
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

/** Authorities that Node trusts; before 22.15 it names only those that it carries itself. */
const trusted = (): readonly string[] => {
  const { getCACertificates } = tls as Partial<typeof tls>;
  return getCACertificates?.('default') ?? tls.rootCertificates;
};

/** Makes the two agents of an upstream: connections are kept, counted, and judged by the guard. */
export const createAgents = ({ guard, maxSockets, resolve = resolveBySystem, ca, proxy }: AgentsOptions): Agents => {
  const optionsFor = (protocol: Protocol): AgentOptions => ({
    keepAlive: true,
    maxSockets,
    maxFreeSockets: maxSockets,
    timeout: idleMs,
    scheduling: 'lifo',
    autoSelectFamilyAttemptTimeout: perAddressMs,
    lookup: guardedLookup(guard, protocol, resolve),
    ...(proxy ? { proxyEnv: proxy } : {}),
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

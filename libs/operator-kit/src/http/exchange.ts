import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { RelayError } from '@ranger-relay/errors';
import { type Clock, createDeadline } from '@ranger-relay/runtime';
import type { Credentials } from '../access/access.ts';
import type { KubeRequest } from '../api/transport.ts';

/** Why an exchange was given up. */
class Late extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super(`nothing within ${ms} ms`);
    this.ms = ms;
  }
}

/** A request that ends by itself when its time is over. */
export interface Limited {
  readonly request: KubeRequest & { readonly signal: AbortSignal };
  /** It was in time: from now on only the caller ends it. */
  inTime(): void;
  /** It is over. */
  end(): void;
}

/** Gives a request `ms` milliseconds beside the signal that it has. */
export const limit = (request: KubeRequest, clock: Clock, ms: number): Limited => {
  const deadline = createDeadline({ clock, ms, signal: request.signal, reason: () => new Late(ms) });
  return { request: { ...request, signal: deadline.signal }, inTime: deadline.lift, end: deadline.close };
};

/** Connections of one purpose. */
export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

const idleMs = 30_000;

/** Makes connections that are kept for the next request, or end with theirs. */
export const createAgents = (keepAlive: boolean, maxSockets: number): Agents => {
  const options = keepAlive ? { keepAlive, maxSockets, timeout: idleMs } : { keepAlive, maxSockets };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
};

/** How one request is sent. */
interface ExchangeOptions {
  readonly server: string;
  readonly credentials: Credentials;
  readonly agents: Agents;
  readonly userAgent: string;
}

/** `METHOD path`, without the query; what errors are named by. */
export const targetOf = ({ method, path }: KubeRequest): string => `${method} ${path}`;

/** Codes are letters, digits and underscores; messages could carry what must not be shown. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Late) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'unknown reason';
};

/** What an exchange that broke off is reported as: the reason of a caller who gave it up, or RelayError `kube_unreachable`. */
export const broken = (request: KubeRequest, error: unknown, sent: boolean): unknown => {
  const { signal } = request;
  const cause: unknown = signal?.aborted ? signal.reason : error;
  if (signal?.aborted && !(cause instanceof Late)) return cause;
  return new RelayError('kube_unreachable', {
    details: { target: targetOf(request), reason: reasonOf(cause) },
    ambiguous: sent && request.method !== 'GET',
  });
};

const start = (request: KubeRequest, options: ExchangeOptions): ClientRequest => {
  const { server, credentials, agents, userAgent } = options;
  const url = new URL(`${server}${request.path}`);
  url.search = new URLSearchParams(request.query).toString();
  const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(body ? { 'content-type': request.contentType ?? 'application/json', 'content-length': body.byteLength } : {}),
    ...credentials.headers,
  };
  const common = { method: request.method, headers, ...(request.signal ? { signal: request.signal } : {}) };
  const sending =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...common, ...credentials.tls, agent: credentials.agent ?? agents.https })
      : httpRequest(url, { ...common, agent: credentials.agent ?? agents.http });
  sending.end(body);
  return sending;
};

/** Whether the request can have left: the connection stood, with TLS: was trusted. */
const watchConnection = (sending: ClientRequest): (() => boolean) => {
  let stood = false;
  sending.once('socket', (socket) => {
    if (sending.reusedSocket) stood = true;
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (stood = true));
  });
  return () => stood;
};

/**
 * Sends a request and waits for its answer to begin.
 * @throws RelayError `kube_unreachable`; the signal's reason once it is aborted
 */
export const exchange = async (request: KubeRequest, options: ExchangeOptions): Promise<IncomingMessage> => {
  if (request.signal?.aborted) throw broken(request, undefined, false);
  const sending = start(request, options);
  const stood = watchConnection(sending);
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      sending.once('response', resolve);
      // Stays: a connection may break more than once, and later than anybody waits.
      sending.on('error', reject);
    });
  } catch (error) {
    throw broken(request, error, stood());
  }
};

import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { RelayError } from '@ranger-relay/errors';
import { type Clock, createDeadline } from '@ranger-relay/runtime';
import type { Credentials } from '../access/access.ts';
import type { KubeRequest } from '../api/transport.ts';

/** The reason of an abort by the timeout. */
class Late extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super(`nothing within ${ms} ms`);
    this.ms = ms;
  }
}

/** A request with a timeout. */
export interface Limited {
  readonly request: KubeRequest & { readonly signal: AbortSignal };
  /** Cancels the timeout; the caller can still abort the request. */
  inTime(): void;
  /** Removes the timer and the listener. */
  end(): void;
}

/** Adds a timeout of `ms` milliseconds to a request; its own signal still applies. */
export const limit = (request: KubeRequest, clock: Clock, ms: number): Limited => {
  const deadline = createDeadline({ clock, ms, signal: request.signal, reason: () => new Late(ms) });
  return { request: { ...request, signal: deadline.signal }, inTime: deadline.lift, end: deadline.close };
};

/** The connection pools for calls, or for streams. */
export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

const idleMs = 30_000;

/** Creates connection pools; with `keepAlive` a connection is reused, otherwise it ends with its request. */
export const createAgents = (keepAlive: boolean, maxSockets: number): Agents => {
  const options = keepAlive ? { keepAlive, maxSockets, timeout: idleMs } : { keepAlive, maxSockets };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
};

interface ExchangeOptions {
  readonly server: string;
  readonly credentials: Credentials;
  readonly agents: Agents;
  readonly userAgent: string;
}

/** `METHOD path` without the query, for error messages. */
export const targetOf = ({ method, path }: KubeRequest): string => `${method} ${path}`;

/** Reports error codes only; messages could contain secrets. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Late) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'unknown reason';
};

/** Maps the failure of a request: to the caller's abort reason, otherwise to RelayError `kube_unreachable`. */
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

/** Returns a function that tells whether the request may have been sent: the connection was established and, with TLS, trusted. */
const watchConnection = (sending: ClientRequest): (() => boolean) => {
  let stood = false;
  sending.once('socket', (socket) => {
    if (sending.reusedSocket) stood = true;
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (stood = true));
  });
  return () => stood;
};

/**
 * Sends a request and waits until the response begins.
 * @throws RelayError `kube_unreachable`; the signal's reason once it is aborted
 */
export const exchange = async (request: KubeRequest, options: ExchangeOptions): Promise<IncomingMessage> => {
  if (request.signal?.aborted) throw broken(request, undefined, false);
  const sending = start(request, options);
  const stood = watchConnection(sending);
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      sending.once('response', resolve);
      // The listener stays, because a connection may fail more than once, and after this promise has settled.
      sending.on('error', reject);
    });
  } catch (error) {
    throw broken(request, error, stood());
  }
};

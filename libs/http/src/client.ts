import type { ClientRequest } from 'node:http';
import { isIP } from 'node:net';
import { cutText, RelayError } from '@ranger-relay/errors';
import { blockListOf, type Clock, type MetricName, type Metrics, parseRetryAfter } from '@ranger-relay/runtime';
import got, { RequestError, type Response, TimeoutError } from 'got';
import { type Agents, createAgents, type Resolve, resolveBySystem } from './agents.ts';
import { decodeBody, makeAnswer, secretsOf } from './answer.ts';
import { AddressRefusal, createGuard, type Guard, type Protocol } from './guard.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from './port.ts';
import { createNameCheck, proxyFor, proxySettings } from './proxy.ts';

/** Facts of a failed call. */
interface CallFacts {
  readonly target: string;
  /** Whether a proxy may stand between. */
  readonly proxied: boolean;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** True when the connection was open (with TLS: trusted), so that the server may have processed the request. */
  readonly connected: boolean;
  /** Status of a response that had begun. */
  readonly status?: number;
}

const connectPhases = new Set(['lookup', 'connect', 'secureConnect', 'socket']);

const causes = (error: unknown): unknown[] => {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at);
  return chain;
};

/** Codes have only letters, digits and underscores; other texts could contain secrets. */
const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'unknown reason';
};

const refusalError = (refusal: AddressRefusal, target: string): RelayError =>
  refusal.why === 'scheme'
    ? new RelayError('http_scheme_refused', { details: { target } })
    : new RelayError('http_address_refused', { details: { target, address: refusal.address } });

const begun = ({ status }: CallFacts): { status?: number } => (status === undefined ? {} : { status });

const timeoutError = (error: TimeoutError, facts: CallFacts): RelayError => {
  const { target, connectMs, firstByteMs, totalMs, connected } = facts;
  const limits = { connect: connectMs, 'first byte': firstByteMs, total: totalMs };
  const phase = connectPhases.has(error.event) ? 'connect' : error.event === 'response' ? 'first byte' : 'total';
  const details = { target, phase, ms: limits[phase], ...begun(facts) };
  return new RelayError('http_timeout', { details, ambiguous: connected });
};

/**
 * Converts a failure to a registered error. Keeps only the code of the original: its message, stack and properties can contain headers, bodies
 * and credentials.
 */
const failureOf = (error: unknown, facts: CallFacts): RelayError => {
  const chain = causes(error);
  const refusal = chain.find((cause) => cause instanceof AddressRefusal);
  if (refusal) return refusalError(refusal, facts.proxied ? `${facts.target} or its proxy` : facts.target);
  const timeout = chain.find((cause) => cause instanceof TimeoutError);
  if (timeout) return timeoutError(timeout, facts);
  const details = { target: facts.target, reason: codeOf(error), ...begun(facts) };
  return facts.connected
    ? new RelayError('http_reset', { details, ambiguous: true })
    : new RelayError('http_connect', { details });
};

/** Options of one call. */
interface CallOptions extends Omit<CallFacts, 'connected' | 'firstByteMs'> {
  readonly agents: Agents;
  readonly userAgent: string;
}

/** Maximum bytes of a response. */
const maxBytesOf = ({ maxBytes = 8 * 1_048_576 }: HttpRequest): number => maxBytes;

const contentOf = ({ json, form, body, method }: HttpRequest): { type?: string; body?: string | Uint8Array } => {
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (form !== undefined)
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  if (body !== undefined) return { body };
  return ['GET', 'OPTIONS', 'DELETE'].includes(method) ? {} : { body: '' };
};

const start = (
  request: HttpRequest,
  url: URL,
  { agents, userAgent, connectMs, totalMs }: CallOptions,
  signal: AbortSignal,
) => {
  const { type, body } = contentOf(request);
  return got(url, {
    method: request.method,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(type ? { 'content-type': type } : {}),
      ...request.headers,
    },
    ...(body === undefined ? {} : { body }),
    signal,
    agent: { http: agents.http, https: agents.https },
    timeout: {
      lookup: connectMs,
      connect: connectMs,
      secureConnect: connectMs,
      ...(request.firstByteMs === undefined ? {} : { response: request.firstByteMs }),
      request: totalMs,
    },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    responseType: 'buffer',
  });
};

const stood = (url: URL, error: unknown): boolean => {
  const timings = error instanceof RequestError ? error.timings : undefined;
  return (url.protocol === 'https:' ? timings?.secureConnect : timings?.connect) !== undefined;
};

/**
 * Sends one request and reads the whole response, up to `maxBytes`. When a response had begun, `details.status` of the error is its status.
 * @throws RelayError `http_connect`, `http_timeout`, `http_reset`, `http_body_too_large`, `http_address_refused`, `http_scheme_refused`
 */
const call = async (request: HttpRequest, url: URL, options: CallOptions): Promise<Response<Uint8Array>> => {
  const { target, proxied, connectMs, totalMs } = options;
  const limit = maxBytesOf(request);
  const stop = new AbortController();
  const { signal } = stop;
  const running = start(request, url, options, request.signal ? AbortSignal.any([request.signal, signal]) : signal);
  let status: number | undefined;
  // Uses the request's own event: the library reports a response later, and one that breaks off at once never.
  void running.on('request', (sent: ClientRequest) => sent.once('response', (began) => (status = began.statusCode)));
  void running.on('downloadProgress', ({ transferred, total }) => {
    if (Math.max(transferred, total ?? 0) > limit) stop.abort();
  });
  try {
    return await running;
  } catch (error) {
    const answered = status === undefined ? {} : { status };
    if (signal.aborted)
      throw new RelayError('http_body_too_large', { details: { target, limit, ...answered }, ambiguous: true });
    const { firstByteMs = totalMs } = request;
    throw failureOf(error, {
      target,
      proxied,
      connectMs,
      firstByteMs,
      totalMs,
      connected: stood(url, error),
      ...answered,
    });
  }
};

const maxLength = 200;

/** `METHOD host/path` of a request, without user info and query; the name of the call in errors and responses. */
export const targetOf = (method: HttpRequest['method'], url: URL | null): string => {
  if (!url) return `${method} (unreadable address)`;
  const place = `${url.host}${url.pathname}`;
  return `${method} ${cutText(place, maxLength, '…')}`;
};

/** Options of a client. Each upstream has its own client, with its own connections and metric label. */
export interface HttpClientOptions {
  readonly clock: Clock;
  /** Private networks (CIDR) that the client may reach, also with plain http. */
  readonly allowedNetworks: readonly string[];
  readonly userAgent: string;
  /** Label of the upstream in the metrics. */
  readonly upstream: string;
  readonly metrics?: Pick<Metrics<MetricName>, 'count'>;
  /** Default limits of a request, ms: 3,000 to connect, 20,000 in total. */
  readonly connectMs?: number;
  readonly totalMs?: number;
  /** Maximum number of connections, default 16. */
  readonly maxSockets?: number;
  /** Resolves host names; default: the system's resolver. */
  readonly resolve?: Resolve;
  /** PEM of authorities that are trusted in addition to those of Node. */
  readonly ca?: string;
  /** Environment that names a proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY); default: that of the process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Statuses that require action are counted separately; others by their class. */
const logged: ReadonlySet<number> = new Set([401, 403, 429]);

const outcomeOf = (status: number): string => (logged.has(status) ? String(status) : `${Math.floor(status / 100)}xx`);

const isWeb = (protocol: string): protocol is Protocol => protocol === 'http:' || protocol === 'https:';

interface Checked {
  readonly url: URL;
  readonly target: string;
  readonly protocol: Protocol;
  /** Whether the host is a name, whose addresses are not known yet. */
  readonly isName: boolean;
}

/** A literal address needs no lookup, so it is checked before the connection. */
const checkUrl = (request: HttpRequest, guard: Guard): Checked => {
  const url = URL.parse(request.url);
  const target = targetOf(request.method, url);
  if (!url) throw new RelayError('http_connect', { details: { target, reason: 'the address cannot be read' } });
  if (!isWeb(url.protocol)) throw new RelayError('http_scheme_refused', { details: { target } });
  const literal = url.hostname.replaceAll(/^\[|\]$/g, '');
  const isName = isIP(literal) === 0;
  const refusal = isName ? undefined : guard.refusal(url.protocol, literal);
  if (refusal) throw refusalError(refusal, target);
  return { url, target, protocol: url.protocol, isName };
};

/** Creates a client. It returns responses of any status, follows no redirects and makes no retries. */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const { clock, upstream, userAgent, metrics, maxSockets = 16, resolve = resolveBySystem, ca } = options;
  const proxy = proxySettings(options.env ?? process.env);
  const guard = createGuard(blockListOf(options.allowedNetworks));
  const agents = createAgents({
    guard,
    maxSockets,
    resolve,
    proxy,
    ...(ca ? { ca } : {}),
  });
  const checkName = createNameCheck(guard, resolve, clock);

  const perform = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { url, target, protocol, isName } = checkUrl(request, guard);
    const proxied = proxyFor(proxy, protocol) !== undefined;
    if (proxied && isName)
      await checkName(protocol, url.hostname).catch((error: unknown) => {
        throw error instanceof AddressRefusal ? refusalError(error, target) : error;
      });
    const answer = await call(request, url, {
      target,
      proxied,
      agents,
      userAgent,
      connectMs: request.connectMs ?? options.connectMs ?? 3_000,
      totalMs: request.totalMs ?? options.totalMs ?? 20_000,
    });
    const { statusCode, headers } = answer;
    const limits = { target, limit: maxBytesOf(request), status: statusCode };
    const body = await decodeBody(answer.body, headers['content-encoding'], limits);
    return makeAnswer({
      status: statusCode,
      headers,
      body,
      target,
      retryAfterMs: parseRetryAfter(headers['retry-after'], clock),
      secrets: secretsOf({ ...request.headers, ...request.form, password: url.password }),
    });
  };

  const count = (outcome: string): void => metrics?.count('relay_http_calls_total', { upstream, outcome });

  return {
    async request(request) {
      try {
        const answer = await perform(request);
        count(outcomeOf(answer.status));
        return answer;
      } catch (error) {
        count(error instanceof RelayError ? error.code : 'internal');
        throw error;
      }
    },
    close: () => agents.close(),
  };
};

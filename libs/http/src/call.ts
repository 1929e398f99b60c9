import type { ClientRequest } from 'node:http';
import { RelayError } from '@ranger-relay/errors';
import { got, RequestError, type Response, TimeoutError } from 'got';
import type { Agents } from './agents.ts';
import { AddressRefusal } from './guard.ts';
import type { HttpRequest } from './port.ts';

/** What is known about the call that failed. */
interface CallFacts {
  readonly target: string;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** The connection stood (with TLS: was trusted), so the request may have been carried out. */
  readonly connected: boolean;
  /** Of an answer that had begun. */
  readonly status?: number;
}

const connectPhases = new Set(['lookup', 'connect', 'secureConnect', 'socket']);

const causes = (error: unknown): unknown[] => {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at);
  return chain;
};

/** Codes are letters, digits and underscores; anything else could carry what must not be shown. */
const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'unknown reason';
};

export const refusalError = (refusal: AddressRefusal, target: string): RelayError =>
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
 * A failed call as a registered error. Nothing of the original is kept but its code: its message, stack and properties can hold
 * headers, bodies and credentials.
 */
const failureOf = (error: unknown, facts: CallFacts): RelayError => {
  const chain = causes(error);
  const refusal = chain.find((cause) => cause instanceof AddressRefusal);
  if (refusal) return refusalError(refusal, facts.target);
  const timeout = chain.find((cause) => cause instanceof TimeoutError);
  if (timeout) return timeoutError(timeout, facts);
  const details = { target: facts.target, reason: codeOf(error), ...begun(facts) };
  return facts.connected
    ? new RelayError('http_reset', { details, ambiguous: true })
    : new RelayError('http_connect', { details });
};

/** How one request is sent. */
interface CallOptions extends Omit<CallFacts, 'connected' | 'firstByteMs'> {
  readonly agents: Agents;
  readonly userAgent: string;
}

/** Most bytes of an answer. */
export const maxBytesOf = ({ maxBytes = 8 * 1_048_576 }: HttpRequest): number => maxBytes;

const contentOf = ({ json, form, body, method }: HttpRequest): { type?: string; body?: string | Uint8Array } => {
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (form !== undefined)
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  if (body !== undefined) return { body };
  return method === 'GET' || method === 'DELETE' ? {} : { body: '' };
};

const start = (request: HttpRequest, url: URL, { agents, userAgent, connectMs, totalMs }: CallOptions) => {
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
    ...(request.signal ? { signal: request.signal } : {}),
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
 * Sends one request and takes the whole answer, at most `maxBytes` of it. When an answer had begun, `details.status` of the error is its status.
 * @throws RelayError `http_connect`, `http_timeout`, `http_reset`, `http_body_too_large`, `http_address_refused`, `http_scheme_refused`
 */
export const call = async (request: HttpRequest, url: URL, options: CallOptions): Promise<Response<Uint8Array>> => {
  const { target, connectMs, totalMs } = options;
  const limit = maxBytesOf(request);
  const running = start(request, url, options);
  let tooLarge = false;
  let status: number | undefined;
  // The request's own event: the library tells of an answer later, and of one that breaks off at once never.
  void running.on('request', (sent: ClientRequest) => sent.once('response', (began) => (status = began.statusCode)));
  void running.on('downloadProgress', ({ transferred, total }) => {
    if (tooLarge || Math.max(transferred, total ?? 0) <= limit) return;
    tooLarge = true;
    running.cancel();
  });
  try {
    return await running;
  } catch (error) {
    const answered = status === undefined ? {} : { status };
    if (tooLarge)
      throw new RelayError('http_body_too_large', { details: { target, limit, ...answered }, ambiguous: true });
    const { firstByteMs = totalMs } = request;
    throw failureOf(error, { target, connectMs, firstByteMs, totalMs, connected: stood(url, error), ...answered });
  }
};

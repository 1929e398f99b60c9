import { isRelayError, RelayError } from '@ranger-relay/errors';
import { createHttpClient, type HttpAnswer, type HttpClient } from '@ranger-relay/http';
import type { Clock } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';

/** A client for addresses that the user names: any address is allowed. */
export const openClient = (clock: Clock, upstream: string, maxSockets?: number): HttpClient =>
  createHttpClient({
    clock,
    allowedNetworks: ['0.0.0.0/0', '::/0'],
    userAgent: 'ranger-relay',
    upstream,
    ...(maxSockets === undefined ? {} : { maxSockets }),
  });

/** The service that a command calls. */
export interface Place {
  readonly service: string;
  /** Without a last slash. */
  readonly url: string;
}

/** A base address for paths. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** A call of a service. */
export interface ServiceCall {
  readonly path: string;
  readonly json: unknown;
  readonly token: string | undefined;
  /** Longest time of the whole call. */
  readonly totalMs: number;
  /** What is true when the user interrupts it. */
  readonly interrupted: string;
}

const connectMs = 5_000;

/**
 * Posts JSON to a service once and waits for its answer of any status but 401.
 * @throws RelayError `service_unreachable`, `service_caller_refused`, `interrupted`
 */
export const postToService = async (
  { clock, interrupted }: Shell,
  { service, url: address }: Place,
  { path, json, token, totalMs, interrupted: state }: ServiceCall,
): Promise<HttpAnswer> => {
  const http = openClient(clock, 'service');
  const signal = interrupted();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const request = { method: 'POST', url: `${address}${path}`, headers, json, connectMs, totalMs, signal } as const;
    const answer = await http.request(request);
    if (answer.status !== 401) return answer;
    const problem = token === undefined ? 'no token is configured' : 'it does not accept the token';
    throw new RelayError('service_caller_refused', { details: { address, service, problem } });
  } catch (error) {
    if (signal.aborted) throw new RelayError('interrupted', { details: { state }, cause: error });
    if (!isRelayError(error) || !error.code.startsWith('http_')) throw error;
    throw new RelayError('service_unreachable', { details: { address, service, reason: error.message }, cause: error });
  } finally {
    http.close();
  }
};

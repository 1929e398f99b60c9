import { RelayError } from '@ranger-relay/errors';
import { TimeoutError } from 'got';
import { AddressRefusal } from './guard.ts';

/** What is known about the call that failed. */
export interface CallFacts {
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
export const failureOf = (error: unknown, facts: CallFacts): RelayError => {
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

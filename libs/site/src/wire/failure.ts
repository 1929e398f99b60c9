import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { Losses } from './pacer.ts';
import { unreadable } from './refusals.ts';

/** A try that came to nothing. */
export interface Loss {
  /** `lost`: no usable answer came. `throttled`: the site asked to wait, and did nothing. */
  readonly kind: 'lost' | 'throttled';
  readonly target: string;
  /** For people: `HTTP 503`, `no answer within 120 s`. */
  readonly reason: string;
  /** Milliseconds that the site asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** The request may have been carried out. */
  readonly ambiguous: boolean;
}

/** A try that came to nothing, among those of the same request. `held`: it did not leave in time. */
export interface Failure extends Omit<Loss, 'kind'> {
  readonly kind: Loss['kind'] | 'held';
  /** With this one; undefined when nothing was sent. */
  readonly losses: Losses | undefined;
  /** No other try is to follow. */
  readonly final: boolean;
}

const certificate = /CERT|SIGNATURE|SELF_SIGNED|ISSUER|CRL|HOSTNAME_MISMATCH/;

const text = (value: unknown): string => String(value ?? 'unknown');

const reasonFor = ({ code, details }: RelayError): string => {
  if (code === 'http_timeout') {
    const what = details['phase'] === 'connect' ? 'no connection' : 'no answer';
    return `${what} within ${Number(details['ms']) / 1_000} s`;
  }
  if (code === 'http_reset') return `the connection broke: ${text(details['reason'])}`;
  return `no connection: ${text(details['reason'])}`;
};

/**
 * What a call that got no answer means.
 * @throws RelayError `site_untrusted` for a certificate, `site_answer_unreadable` for an answer without end, anything unexpected as it is
 */
export const failureOf = (error: unknown, writes: boolean): Loss => {
  const known = toRelayError(error);
  const target = text(known.details['target']);
  const reason = text(known.details['reason']);
  if (known.code === 'http_body_too_large')
    throw unreadable(target, `over ${text(known.details['limit'])} bytes`, writes);
  if (known.code === 'http_body_unreadable') throw unreadable(target, text(known.details['problem']), writes);
  if (known.code === 'http_connect' && certificate.test(reason))
    throw new RelayError('site_untrusted', { details: { target, reason } });
  if (!isRelayError(known, 'http_connect', 'http_timeout', 'http_reset')) throw known;
  const ambiguous = writes && known.ambiguous;
  return { kind: 'lost', target, reason: reasonFor(known), retryAfterMs: undefined, ambiguous };
};

/** A try that was not made: somebody interrupted, or it was held back for too long. */
export const unsent = (target: string, reason: 'interrupted' | 'held'): Failure => ({
  kind: reason === 'held' ? 'held' : 'lost',
  target,
  reason,
  retryAfterMs: undefined,
  ambiguous: false,
  losses: undefined,
  final: reason === 'interrupted',
});

/** `site_unavailable` after the last try. */
export const unavailable = (
  { target, reason }: Pick<Failure, 'target' | 'reason'>,
  tries: number,
  ambiguous: boolean,
): RelayError => new RelayError('site_unavailable', { details: { target, reason, tries, ambiguous }, ambiguous });

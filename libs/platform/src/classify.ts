import { isRelayError, jsonOf, RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';

/** Result of a call to the platform API. Only this file evaluates HTTP statuses. */
export type Verdict =
  | { readonly kind: 'ok' }
  /** The platform refused the token: renew it and repeat the call once. */
  | { readonly kind: 'stale_token' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly error: RelayError };

type Answer = Pick<HttpAnswer, 'status' | 'target' | 'retryAfterMs' | 'body'>;

const wait = ({ retryAfterMs }: Answer): { retryAfterMs?: number } =>
  retryAfterMs === undefined ? {} : { retryAfterMs };

/** `platform_unavailable` with its reason; `ambiguous` when the platform may have processed the request. */
export const unavailable = (reason: string, answer?: Answer, ambiguous = false): RelayError =>
  new RelayError('platform_unavailable', { details: { reason }, ambiguous, ...(answer ? wait(answer) : {}) });

/** `platform_rate_limited` with the requested wait. */
export const rateLimited = (answer: Answer): RelayError =>
  new RelayError('platform_rate_limited', { details: { reason: `${answer.target} answered 429` }, ...wait(answer) });

/** The error of a call without a response. Keeps errors of the platform. `ambiguous` matters only for calls that store something. */
export const noAnswer = (error: unknown, stores = false): RelayError => {
  const known = toRelayError(error);
  if (known.code.startsWith('platform_') || known.code === 'internal') return known;
  return new RelayError('platform_unavailable', {
    details: { reason: known.message },
    cause: known,
    ambiguous: stores && known.ambiguous,
    ...(known.retryAfterMs === undefined ? {} : { retryAfterMs: known.retryAfterMs }),
  });
};

/** The JSON of a response; undefined when its body is none. */
export const readJson = (answer: Pick<HttpAnswer, 'json'>): unknown => {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
};

/** Whether the JSON of a 404 is the platform's own (`{"detail": "..."}`), not that of a gateway that lost its route. */
export const isPlatformAbsence = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && typeof (json as { detail?: unknown }).detail === 'string';

const saysAbsent = ({ body }: Answer): boolean => isPlatformAbsence(jsonOf(body));

const failed = (error: RelayError): Verdict => ({ kind: 'failed', error });

/** Classifies the response to an authorised GET (platform contract, stale token and integration; retry budgets). */
export const classify = (answer: Answer): Verdict => {
  const { status, target } = answer;
  const text = `${target} answered ${status}`;
  if (status >= 200 && status < 300) return { kind: 'ok' };
  if (status === 401 || (status >= 300 && status < 400)) return { kind: 'stale_token' };
  if (status === 403) return failed(new RelayError('platform_forbidden', { details: { reason: text } }));
  if (status === 404)
    return saysAbsent(answer) ? { kind: 'absent' } : failed(unavailable(`${text} without the platform’s body`, answer));
  if (status === 429) return failed(rateLimited(answer));
  if (status >= 400 && status < 500 && status !== 408)
    return failed(new RelayError('http_status', { details: { target, code: status } }));
  return failed(unavailable(text, answer));
};

/** Whether a retry within the budget can succeed: after no response, 408, 429 or 5xx; no other 4xx. */
export const worthAnotherTry = (error: unknown): error is RelayError =>
  isRelayError(error, 'platform_unavailable', 'platform_rate_limited');

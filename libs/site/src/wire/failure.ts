import { cutText, isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import type { Losses } from './pacer.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The payload of a body: its `data` when it has such a member, else the body itself (site contract, 1, envelope). */
export const unwrap = (body: unknown): unknown => (isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body);

export { isObject };

const maxLength = 300;
const maxWords = 5;
/** An excerpt up to this length is whole, and then it is JSON when the body was. */
const wholeExcerpt = 3_900;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Every text in a refusal with the place where it stands. */
const wordsIn = (value: unknown, place: readonly string[] = []): string[] => {
  if (typeof value === 'string') return [place.length > 0 ? `${place.join('.')}: ${value}` : value];
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'string')) return value.length > 0 ? wordsIn(value.join(' '), place) : [];
    return value.flatMap((item: unknown, index) => wordsIn(item, place.concat(String(index))));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => wordsIn(item, place.concat(name)));
};

const statusWords = (body: unknown): string | undefined => {
  const status = isObject(body) ? body['status'] : undefined;
  if (!isObject(status)) return undefined;
  const text = status['detail'] ?? status['message'];
  return typeof text === 'string' ? text : undefined;
};

const withoutStatus = (payload: unknown): unknown =>
  isObject(payload) ? Object.fromEntries(Object.entries(payload).filter(([name]) => name !== 'status')) : payload;

/**
 * Why the site refuses, in its own words: the refused members with their texts, else the detail of the status, else the beginning of the
 * body (site contract, 1, errors). The excerpt that this is taken from has secrets masked already.
 */
export const reasonOf = (answer: Pick<HttpAnswer, 'excerpt'>): string => {
  const excerpt = answer.excerpt(wholeExcerpt);
  const body = parse(excerpt);
  const words = wordsIn(withoutStatus(unwrap(body))).slice(0, maxWords);
  const text = words.join('; ') || statusWords(body) || excerpt || 'without a word';
  return cutText(text, maxLength, '…');
};

/** An error of a request, saying whether it may have been carried out all the same. */
export const withAmbiguity = ({ code, details, cause }: RelayError, ambiguous: boolean): RelayError =>
  new RelayError(code, { details: { ...details, ambiguous }, ambiguous, cause });

/** `site_answer_unreadable`: what came is not what the contract knows. */
export const unreadable = (target: string, problem: string, ambiguous = false): RelayError =>
  new RelayError('site_answer_unreadable', { details: { target, problem, ambiguous }, ambiguous });

/** Statuses after which the same request may be carried out later. */
export const isTransient = (status: number): boolean => status === 429 || (status >= 502 && status <= 504);

/** The address a redirect leads to: of another host its origin alone, else the path too, never a query. */
const leadsTo = (answer: HttpAnswer, url: URL): string => {
  const location = answer.headers['location'];
  const to = location === undefined ? null : URL.parse(location, url.href);
  if (!to) return 'an unknown address';
  return to.origin === url.origin ? `${to.origin}${to.pathname}`.slice(0, 200) : to.origin;
};

/** What an answer outside of 200 to 299 that is final means (site contract, 1, errors). */
export const refusalOf = (answer: HttpAnswer, url: URL): RelayError => {
  const { status, target } = answer;
  if (status === 401) return new RelayError('site_unauthorized', { details: { target } });
  if (status === 403) return new RelayError('site_forbidden', { details: { target } });
  if (status === 404) return new RelayError('site_not_found', { details: { target } });
  if (status === 405) return new RelayError('site_too_old', { details: { target } });
  if (status === 409) return new RelayError('site_conflict', { details: { target } });
  if (status < 400) {
    if (status === 304 || status < 300) return unreadable(target, `status ${status}`);
    return new RelayError('site_redirected', { details: { target, to: leadsTo(answer, url) } });
  }
  return new RelayError('site_refused', { details: { target, status, reason: reasonOf(answer) } });
};

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

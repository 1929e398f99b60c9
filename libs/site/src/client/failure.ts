import { cutText, isObject, isRelayError, jsonOf, RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';

/** The payload of a body: its `data` member if present, otherwise the body itself (site contract, 1, envelope). */
export const unwrap = (body: unknown): unknown => (isObject(body) && Object.hasOwn(body, 'data') ? body['data'] : body);

const maxLength = 300;
const maxWords = 5;
/** An excerpt up to this length is complete, and therefore still valid JSON when the body was. */
const wholeExcerpt = 3_900;

/** Lists every text in a refusal with its location. */
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
 * The reason of a refusal in the site's own words: the refused members with their texts, otherwise the detail, otherwise the beginning of
 * the body (site contract, 1, errors). Secrets are already masked in the excerpt.
 */
export const reasonOf = (answer: Pick<HttpAnswer, 'excerpt'>): string => {
  const excerpt = answer.excerpt(wholeExcerpt);
  const body = jsonOf(excerpt);
  const words = wordsIn(withoutStatus(unwrap(body))).slice(0, maxWords);
  const text = words.join('; ') || statusWords(body) || excerpt || 'without a word';
  return cutText(text, maxLength, '…');
};

/** Adds to an error whether the request may have been carried out. */
export const withAmbiguity = ({ code, details, cause }: RelayError, ambiguous: boolean): RelayError =>
  new RelayError(code, { details: { ...details, ambiguous }, ambiguous, cause });

/** `site_answer_unreadable`: the response does not match the contract. */
export const unreadable = (target: string, problem: string, ambiguous = false): RelayError =>
  new RelayError('site_answer_unreadable', { details: { target, problem, ambiguous }, ambiguous });

/** Statuses after which the same request may succeed later. */
const isTransient = (status: number): boolean => status === 429 || (status >= 502 && status <= 504);

/** The target of a redirect, without its query: only the origin for another host, otherwise also the path. */
const leadsTo = (answer: HttpAnswer, url: URL): string => {
  const location = answer.headers['location'];
  const to = location === undefined ? null : URL.parse(location, url.href);
  if (!to) return 'an unknown address';
  return to.origin === url.origin ? `${to.origin}${to.pathname}`.slice(0, 200) : to.origin;
};

/** Whether the body names its own status, as each refusal of the site's API does (site contract, 1, errors); the page of a gateway does not. */
export const isOwnRefusal = ({ status, body }: Pick<HttpAnswer, 'status' | 'body'>): boolean => {
  const content = jsonOf(body);
  const own = isObject(content) ? content['status'] : undefined;
  return isObject(own) && own['code'] === status;
};

/** Names of the site's models in its permissions, by the path of their calls; the first match counts. */
const models = [
  ['activity/patrols/segments/types', 'segmenttype'],
  ['activity/patrols/types', 'patroltype'],
  ['activity/patrols', 'patrol'],
  ['activity/events/eventtypes', 'eventtype'],
  ['activity/eventtypes', 'eventtype'],
  ['activity/events/categories', 'eventcategory'],
  ['activity/event', 'event'],
  ['observations', 'observation'],
  ['choices', 'choice'],
  ['subjectgroup', 'subjectgroup'],
  ['subject', 'subject'],
  ['source', 'source'],
] as const;
const verbs: Readonly<Record<string, string>> = {
  GET: 'view',
  POST: 'add',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'delete',
};

/** The permission that a request needs, as the site names it. */
const permissionFor = (target: string): string => {
  const [method = ''] = target.split(' ', 1);
  const [, model] = models.find(([path]) => target.includes(`/${path}`)) ?? [];
  const verb = model === 'subjectgroup' && method !== 'GET' ? 'change' : (verbs[method] ?? 'use');
  return model === undefined ? verb : `${verb}_${model}`;
};

/** `site_forbidden`, which names the missing permission. */
export const forbidden = (target: string): RelayError =>
  new RelayError('site_forbidden', { details: { target, permission: permissionFor(target) } });

/**
 * Returns the payload of a response that cannot be a bare empty list: older sites answer a missing permission so, with 200.
 * @throws RelayError `site_forbidden`
 */
export const notForbidden = (target: string, payload: unknown): unknown => {
  if (Array.isArray(payload) && payload.length === 0) throw forbidden(target);
  return payload;
};

/** Maps a final response outside of 200 to 299 to an error (site contract, 1, errors). */
export const refusalOf = (answer: HttpAnswer, url: URL): RelayError => {
  const { status, target } = answer;
  if (status === 401) return new RelayError('site_unauthorized', { details: { target } });
  if (status === 403) return forbidden(target);
  if (status === 404) return new RelayError('site_not_found', { details: { target } });
  if (status === 405) return new RelayError('site_too_old', { details: { target } });
  if (status === 409) return new RelayError('site_conflict', { details: { target } });
  if (status < 400) {
    if (status === 304 || status < 300) return unreadable(target, `status ${status}`);
    return new RelayError('site_redirected', { details: { target, to: leadsTo(answer, url) } });
  }
  return new RelayError('site_refused', { details: { target, status, reason: reasonOf(answer) } });
};

/** A failed attempt. */
export interface Loss {
  /** `lost`: there was no usable response. `throttled`: the site asked to wait, and did not process the request. */
  readonly kind: 'lost' | 'throttled';
  readonly target: string;
  /** As shown to the operator: `HTTP 503`, `no answer within 120 s`. */
  readonly reason: string;
  /** Wait that the site asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the site may have carried out the request. */
  readonly ambiguous: boolean;
  /** Whether an immediate retry cannot help. */
  readonly hopeless?: boolean;
}

/** How often the same request was lost, and since when; throttled attempts do not count. */
export interface Losses {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly count: number;
}

/** A failed attempt, in the context of the earlier attempts. `stale`: the request was not sent in time. */
export interface Failure extends Omit<Loss, 'kind'> {
  readonly kind: Loss['kind'] | 'stale';
  /** Losses including this one; undefined when nothing was sent. */
  readonly losses: Losses | undefined;
  /** Whether no further attempt follows. */
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
  const reason = text(details['reason']);
  const isWithoutTls = reason === 'EPROTO' ? ', it does not speak TLS; for a site without TLS write http://' : '';
  return `no connection: ${reason}${isWithoutTls}`;
};

/** How to classify the error of a call. */
interface CallKind {
  readonly writes: boolean;
  /** As in the {@link RetryPolicy}. */
  readonly faultsAreOutages: boolean;
  /** Whether a file was requested. */
  readonly file: boolean;
}

/**
 * Classifies the error of a call without a response.
 * @throws RelayError `site_untrusted` for a certificate, `site_answer_unreadable` for a body that is too large or unreadable,
 * `site_file_too_large`, unexpected errors unchanged
 */
export const lossOf = (error: unknown, { writes, faultsAreOutages, file }: CallKind): Loss => {
  const known = toRelayError(error);
  const target = text(known.details['target']);
  const reason = text(known.details['reason']);
  const outage = { kind: 'lost', target, retryAfterMs: undefined } as const;
  if (known.code === 'http_body_too_large' && file)
    throw new RelayError('site_file_too_large', { details: known.details });
  if (known.code === 'http_body_too_large')
    throw unreadable(target, `over ${text(known.details['limit'])} bytes`, writes);
  if (known.code === 'http_body_unreadable') throw unreadable(target, text(known.details['problem']), writes);
  if (known.code === 'http_connect' && certificate.test(reason)) {
    if (!faultsAreOutages) throw new RelayError('site_untrusted', { details: { target, reason } });
    return { ...outage, reason: `the certificate is not trusted: ${reason}`, ambiguous: false, hopeless: true };
  }
  if (!isRelayError(known, 'http_connect', 'http_timeout', 'http_reset')) throw known;
  return { ...outage, reason: reasonFor(known), ambiguous: writes && known.ambiguous };
};

/** The loss that a response stands for; undefined for a final response. */
export const lossIn = (
  { status, target, retryAfterMs }: HttpAnswer,
  { writes, faultsAreOutages }: Omit<CallKind, 'file'>,
): Loss | undefined => {
  const hopeless = !isTransient(status);
  if (hopeless && !(faultsAreOutages && (status >= 500 || status === 408))) return undefined;
  const kind = status === 429 ? 'throttled' : 'lost';
  return { kind, target, reason: `HTTP ${status}`, retryAfterMs, ambiguous: writes && kind === 'lost', hopeless };
};

/** An attempt that was not sent: the call was interrupted, or what it replaces was read too long ago. */
export const unsent = (target: string, reason: 'interrupted' | 'stale'): Failure => ({
  kind: reason === 'stale' ? 'stale' : 'lost',
  target,
  reason,
  retryAfterMs: undefined,
  ambiguous: false,
  losses: undefined,
  final: reason === 'interrupted',
});

/** Creates `site_unavailable` after the last attempt. */
export const unavailable = (
  { target, reason, retryAfterMs }: Pick<Failure, 'target' | 'reason' | 'retryAfterMs'>,
  tries: number,
  ambiguous = false,
): RelayError =>
  new RelayError('site_unavailable', {
    details: { target, reason, tries, ambiguous },
    ambiguous,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

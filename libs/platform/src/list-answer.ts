import { cutText, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { redact } from '@ranger-relay/runtime';
import { isPlatformAbsence, rateLimited, unavailable } from './classify.ts';

/** An item that the platform refuses, with its words. */
export interface Offender {
  readonly index: number;
  readonly reason: string;
}

/** How the platform answered a list. What is transient is thrown instead. */
export type ListAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly offenders: readonly Offender[] }
  /** Refused without naming items: to be searched by halving. */
  | { readonly kind: 'refused_list'; readonly reason: string };

/** What the list was. */
export interface Posted {
  readonly integrationId: string;
  readonly count: number;
}

const reasonLength = 200;

const isEmpty = (item: unknown): boolean =>
  item === null || item === undefined || item === '' || (typeof item === 'object' && Object.keys(item).length === 0);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const namesApiKey = (item: unknown): boolean =>
  isObject(item) && /api[\s_-]*key/i.test(JSON.stringify(item['non_field_errors'] ?? ''));

const keyRefused = ({ integrationId }: Posted, reason: string): RelayError =>
  new RelayError('api_key_refused', { details: { integration: integrationId, reason } });

const readJson = (answer: HttpAnswer): { ok: true; json: unknown } | { ok: false } => {
  try {
    return { ok: true, json: answer.json() };
  } catch {
    return { ok: false };
  }
};

const reasonOf = (item: unknown): string => {
  const text = JSON.stringify(redact(item)).replaceAll(/\s+/g, ' ');
  return cutText(text, reasonLength, '…');
};

const refusal = (answer: HttpAnswer, posted: Posted): ListAnswer => {
  const read = readJson(answer);
  const json = read.ok ? read.json : undefined;
  const items = Array.isArray(json) ? (json as unknown[]) : [json];
  if (items.length > 0 && items.every(namesApiKey)) throw keyRefused(posted, answer.excerpt());
  const named = Array.isArray(json) && json.length === posted.count;
  const offenders = named
    ? items.flatMap((item, index) => (isEmpty(item) ? [] : [{ index, reason: reasonOf(item) }]))
    : [];
  if (offenders.length > 0) return { kind: 'refused', offenders };
  return { kind: 'refused_list', reason: `${answer.target} answered 400: ${answer.excerpt()}` };
};

const success = (answer: HttpAnswer): ListAnswer => {
  if (!readJson(answer).ok)
    throw unavailable(`${answer.target} answered ${answer.status} with a body that cannot be read`, answer, true);
  return { kind: 'accepted' };
};

const gone = (answer: HttpAnswer, { integrationId }: Posted): RelayError => {
  const read = readJson(answer);
  if (read.ok && isPlatformAbsence(read.json))
    return new RelayError('integration_gone', { details: { integration: integrationId } });
  return unavailable(`${answer.target} answered 404 without the platform’s body`, answer);
};

/**
 * What the answer to a posted list means (platform contract, sensors API; device contract, forwarder: 400 and transient). Every status
 * and every body means something.
 * @throws RelayError `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous` when the list may have been stored),
 *   `platform_rate_limited`
 */
export const readListAnswer = (answer: HttpAnswer, posted: Posted): ListAnswer => {
  const { status, target } = answer;
  const text = `${target} answered ${status}`;
  if (status >= 200 && status < 300) return success(answer);
  if (status === 400) return refusal(answer, posted);
  if (status === 401 || status === 403) throw keyRefused(posted, `${text}: ${answer.excerpt()}`);
  if (status === 404) throw gone(answer, posted);
  if (status === 429) throw rateLimited(answer);
  if (status > 400 && status < 500 && status !== 408)
    return { kind: 'refused_list', reason: `${text}: ${answer.excerpt()}` };
  throw unavailable(text, answer, status >= 500);
};

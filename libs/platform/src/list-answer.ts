import { cutText, isObject, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { redact } from '@ranger-relay/runtime';
import { isPlatformAbsence, rateLimited, readJson, unavailable } from './classify.ts';

/** An item that the platform refuses, with the platform's reason. */
export interface Offender {
  readonly index: number;
  readonly reason: string;
}

/** The platform's response to a list. Transient failures are thrown instead. */
export type ListAnswer =
  /** Object id of each entry, in order; undefined for an entry that the response does not acknowledge, which stays due. */
  | { readonly kind: 'accepted'; readonly ids: readonly (string | undefined)[] }
  | { readonly kind: 'refused'; readonly offenders: readonly Offender[] }
  /** Refused without naming items; the caller finds them by halving. */
  | { readonly kind: 'refused_list'; readonly reason: string };

/** The list that was posted. */
export interface Posted {
  readonly integrationId: string;
  readonly count: number;
}

type Members = Readonly<Record<string, unknown>>;

const reasonLength = 200;

const isEmpty = (item: unknown): boolean =>
  item === null || item === '' || (typeof item === 'object' && Object.keys(item).length === 0);

/** Whether an object has the form `{"field": ["reason"]}`, possibly nested; the members of a gateway's object are plain texts. */
const namesFields = (item: unknown): item is Members =>
  isObject(item) && !isEmpty(item) && Object.values(item).every((value) => typeof value === 'object' && value !== null);

const namesApiKey = (item: unknown): boolean =>
  isObject(item) && /api[\s_-]*key/i.test(JSON.stringify(item['non_field_errors'] ?? ''));

/**
 * A response that is not JSON may come from a filter that rejects the content of the list, so the error is ambiguous and the caller searches the
 * list.
 */
const keyRefused = ({ integrationId }: Posted, { target, status, excerpt }: HttpAnswer, json: unknown): RelayError =>
  new RelayError('api_key_refused', {
    details: { integration: integrationId, reason: `${target} answered ${status}: ${excerpt()}` },
    ambiguous: typeof json !== 'object',
  });

/** Another system than the platform responded: the platform may or may not have stored the list. */
const foreign = (answer: HttpAnswer): RelayError =>
  unavailable(`${answer.target} answered ${answer.status} in an unexpected form: ${answer.excerpt(100)}`, answer, true);

const reasonOf = (item: unknown): string => {
  const text = JSON.stringify(redact(item)).replaceAll(/\s+/g, ' ');
  return cutText(text, reasonLength, '…');
};

const refusal = (answer: HttpAnswer, posted: Posted): ListAnswer => {
  const json = readJson(answer);
  const items: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (items.length > 0 && items.every(namesApiKey)) throw keyRefused(posted, answer, json);
  if (Array.isArray(json) && items.length === posted.count) {
    const offenders = items.flatMap((item, index) => (isEmpty(item) ? [] : [{ index, reason: reasonOf(item) }]));
    if (offenders.length > 0) return { kind: 'refused', offenders };
  }
  if (items.some(namesFields) && items.every((item) => isEmpty(item) || namesFields(item)))
    return { kind: 'refused_list', reason: `${answer.target} answered 400: ${answer.excerpt()}` };
  throw foreign(answer);
};

const idOf = (entry: unknown): string | undefined => {
  const id = isObject(entry) ? entry['object_id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
};

const acceptance = (answer: HttpAnswer, { count }: Posted): ListAnswer => {
  const json = readJson(answer);
  const entries: readonly unknown[] = Array.isArray(json) ? json : [json];
  const ids = entries.map(idOf);
  if (ids.length !== count || ids.every((id) => id === undefined)) throw foreign(answer);
  return { kind: 'accepted', ids };
};

/**
 * Evaluates the response to a posted list (platform contract, sensors API; device contract, forwarder: accepted and refused). Only a response in
 * the platform's own form accepts or refuses; every other one is transient.
 * @throws RelayError `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous` when the platform may have stored the list),
 *   `platform_rate_limited`
 */
export const readListAnswer = (answer: HttpAnswer, posted: Posted): ListAnswer => {
  const { status } = answer;
  if (status === 200 || status === 201) return acceptance(answer, posted);
  if (status === 400) return refusal(answer, posted);
  if (status === 401 || status === 403) throw keyRefused(posted, answer, readJson(answer));
  if (status === 404 && isPlatformAbsence(readJson(answer)))
    throw new RelayError('integration_gone', { details: { integration: posted.integrationId } });
  if (status === 429) throw rateLimited(answer);
  throw foreign(answer);
};

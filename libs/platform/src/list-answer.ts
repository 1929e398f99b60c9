import { cutText, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { redact } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { PlatformApi } from './api.ts';
import { isPlatformAbsence, rateLimited, unavailable } from './classify.ts';
import { type Integration, integrationSchema, withoutConfigurations } from './integration.ts';

const path = '/v2/integrations/';
const maxPages = 1_000;

const pageSchema = z.looseObject({ next: z.string().nullish(), results: z.array(z.unknown()) });

/** Only the query of `next` is used: its host may be one that only the platform's inside knows. */
const queryOf = (next: string): string => new URL(next, 'https://unused.invalid/').search;

/** One that cannot be read does not hide the others. */
const integrationsOf = (results: readonly unknown[], slug: string): Integration[] =>
  results.flatMap((result) => {
    const parsed = integrationSchema.safeParse(withoutConfigurations(result));
    return parsed.success && parsed.data.type.value === slug && parsed.data.enabled ? [parsed.data] : [];
  });

/**
 * Every enabled integration of exactly this type, page by page (the platform's own search is by part of the word).
 * @throws RelayError `platform_unavailable` also when a page is no page or the pages do not end
 */
export const listIntegrations = async (api: PlatformApi, slug: string): Promise<readonly Integration[]> => {
  const found = new Map<string, Integration>();
  const seen = new Set<string>();
  let query = `?${new URLSearchParams({ search: slug, search_fields: 'type__value', enabled: 'true' })}`;
  while (!seen.has(query) && seen.size < maxPages) {
    seen.add(query);
    const page = pageSchema.safeParse(await api.get(`${path}${query}`));
    if (!page.success) throw unavailable('a page of the list of integrations is not one');
    for (const integration of integrationsOf(page.data.results, slug)) found.set(integration.id, integration);
    if (!page.data.next) return [...found.values()];
    query = queryOf(page.data.next);
  }
  throw unavailable('the list of integrations does not end');
};

/** An item that the platform refuses, with its words. */
export interface Offender {
  readonly index: number;
  readonly reason: string;
}

/** How the platform answered a list. What is transient is thrown instead. */
export type ListAnswer =
  /** Object id of each entry, in order; undefined for an entry that the answer does not acknowledge, which stays due. */
  | { readonly kind: 'accepted'; readonly ids: readonly (string | undefined)[] }
  | { readonly kind: 'refused'; readonly offenders: readonly Offender[] }
  /** Refused without naming items: to be searched by halving. */
  | { readonly kind: 'refused_list'; readonly reason: string };

/** What the list was. */
export interface Posted {
  readonly integrationId: string;
  readonly count: number;
}

type Members = Readonly<Record<string, unknown>>;

const reasonLength = 200;

const isObject = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isEmpty = (item: unknown): boolean =>
  item === null || item === '' || (typeof item === 'object' && Object.keys(item).length === 0);

/** `{"field": ["reason"]}`, also nested; a gateway's object holds plain texts. */
const namesFields = (item: unknown): item is Members =>
  isObject(item) && !isEmpty(item) && Object.values(item).every((value) => typeof value === 'object' && value !== null);

const namesApiKey = (item: unknown): boolean =>
  isObject(item) && /api[\s_-]*key/i.test(JSON.stringify(item['non_field_errors'] ?? ''));

/** A page instead of JSON may be a filter's that dislikes the list, so it counts as ambiguous: the list is then searched. */
const keyRefused = ({ integrationId }: Posted, { target, status, excerpt }: HttpAnswer, json: unknown): RelayError =>
  new RelayError('api_key_refused', {
    details: { integration: integrationId, reason: `${target} answered ${status}: ${excerpt()}` },
    ambiguous: typeof json !== 'object',
  });

const readJson = (answer: HttpAnswer): unknown => {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
};

/** Not the platform's own answer: whether the list was stored cannot be known. */
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
 * What the answer to a posted list means (platform contract, sensors API; device contract, forwarder: accepted and refused). Only the
 * platform's own form accepts or refuses; every other answer is transient.
 * @throws RelayError `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous` when the list may have been stored),
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

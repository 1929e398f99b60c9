import { z } from 'zod';
import type { PlatformApi } from './api.ts';
import { unavailable } from './classify.ts';
import { integrationSchema, withoutConfigurations, type Integration } from './integration.ts';

const path = '/v2/integrations/';
const mostPages = 1_000;

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
  while (!seen.has(query) && seen.size < mostPages) {
    seen.add(query);
    const page = pageSchema.safeParse(await api.get(`${path}${query}`));
    if (!page.success) throw unavailable('a page of the list of integrations is none');
    for (const integration of integrationsOf(page.data.results, slug)) found.set(integration.id, integration);
    if (!page.data.next) return [...found.values()];
    query = queryOf(page.data.next);
  }
  throw unavailable('the list of integrations does not end');
};

import { json, type Answer } from '../http/answer.ts';
import { integrationJson } from './integration-json.ts';
import type { IntegrationBook } from './integrations.ts';
import type { TypeBook } from './types.ts';

const pageSize = 20;
const notFound = json(404, { detail: 'Not found.' });

/** What the read side of the platform's API needs. */
export interface DirectoryParts {
  readonly integrations: IntegrationBook;
  readonly types: TypeBook;
  /** Scheme and host in `next` links; another than the caller's, as behind a gateway. */
  readonly linkBase: string;
}

/** `GET /v2/integrations/{id}/` */
export const showIntegration = ({ integrations, types }: DirectoryParts, id: string): Answer => {
  const found = integrations.get(id);
  return found && !found.hidden ? json(200, integrationJson(found, types)) : notFound;
};

/** `GET /v2/integrations/{id}/api-key/` */
export const showKey = ({ integrations }: DirectoryParts, id: string): Answer => {
  const found = integrations.get(id);
  return found && !found.hidden ? json(200, { api_key: found.api_key }) : notFound;
};

const link = (base: string, query: URLSearchParams, page: number): string => {
  const next = new URLSearchParams(query);
  next.set('page', String(page));
  return `${base}/v2/integrations/?${next.toString()}`;
};

/** `GET /v2/integrations/`: 20 a page; `search` matches any part of the type's slug. */
export const listIntegrations = ({ integrations, types, linkBase }: DirectoryParts, query: URLSearchParams): Answer => {
  const search = query.get('search') ?? '';
  const enabled = query.get('enabled');
  const matching = integrations
    .list()
    .filter(({ hidden, type }) => !hidden && type.includes(search))
    .filter((integration) => enabled === null || String(integration.enabled) === enabled.toLowerCase());
  const page = Number(query.get('page') ?? '1');
  const pages = Math.max(1, Math.ceil(matching.length / pageSize));
  if (!Number.isInteger(page) || page < 1 || page > pages) return json(404, { detail: 'Invalid page.' });
  return json(200, {
    next: page < pages ? link(linkBase, query, page + 1) : null,
    previous: page > 1 ? link(linkBase, query, page - 1) : null,
    results: matching.slice((page - 1) * pageSize, page * pageSize).map((found) => integrationJson(found, types)),
  });
};

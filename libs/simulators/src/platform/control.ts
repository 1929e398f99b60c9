import { json } from '../http/answer.ts';
import { bad, commonRoutes, controlHandle, done, type Control, type ControlRoute } from '../http/control.ts';
import type { Handle } from '../http/server.ts';
import type { IngestLogQuery, ItemKind, Outcome } from './ingest-log.ts';
import type { IntegrationChange } from './integrations.ts';
import type { RouteDependencies } from './routes.ts';

/** Operations of the control API besides requests. */
export interface ControlDependencies extends RouteDependencies {
  /** Refuses connections from just after this answer, for `ms` milliseconds. */
  away(ms: number): void;
  stats(): unknown;
}

const queryOf = (query: URLSearchParams): IngestLogQuery => ({
  since: Number(query.get('since') ?? '0') || 0,
  limit: Math.min(10_000, Number(query.get('limit') ?? '1000') || 1_000),
  ...(query.has('integration') ? { integration: String(query.get('integration')) } : {}),
  ...(query.has('kind') ? { kind: query.get('kind') as ItemKind } : {}),
  ...(query.has('outcome') ? { outcome: query.get('outcome') as Outcome } : {}),
});

const putIntegration: Control<ControlDependencies> = ({ integrations }, body, key) => {
  const id: unknown = key === '' ? body['id'] : key;
  return typeof id === 'string' && id !== ''
    ? json(200, integrations.put({ ...(body as IntegrationChange), id }))
    : bad('id is missing');
};

const rotate: Control<ControlDependencies> = ({ integrations }, _body, id) =>
  integrations.get(id)
    ? json(200, { api_key: integrations.rotateKey(id) })
    : json(404, { error: 'no such integration' });

const routes: readonly ControlRoute<ControlDependencies>[] = [
  ...commonRoutes<ControlDependencies>('switches', ({ switches }) => switches),
  ['GET', /^ingest-log$/, ({ ingestLog }, _body, _key, { query }) => json(200, ingestLog.read(queryOf(query)))],
  ['GET', /^stats$/, (parts) => json(200, parts.stats())],
  ['GET', /^integrations$/, ({ integrations }) => json(200, integrations.list())],
  ['POST', /^integrations(?:\/([^/]+))?$/, putIntegration],
  ['POST', /^integrations\/([^/]+)\/rotate-key$/, rotate],
  ['DELETE', /^integrations\/([^/]+)$/, ({ integrations }, _body, id) => json(integrations.delete(id) ? 200 : 404, {})],
  ['POST', /^tokens\/expire$/, ({ tokens }) => done(tokens.expireAll())],
];

/** The control API under `/_sim/`. */
export const platformControl = (parts: ControlDependencies): Handle => controlHandle('/_sim/', routes, parts);

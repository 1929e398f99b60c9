import { type SimulatedResponse, json, type SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { parseSwitch } from '../switches/fault.ts';
import type { IngestLogQuery, ItemKind, Outcome } from './ingest-log.ts';
import type { IntegrationChange } from './integrations.ts';
import type { RouteDependencies } from './routes.ts';
import type { TokenSettings } from './tokens.ts';

/** Control API besides reading: makes the server unavailable for a while. */
export interface ControlDependencies extends RouteDependencies {
  /** Refuses connections from just after this answer, for `ms` milliseconds. */
  away(ms: number): void;
  stats(): unknown;
}

type Body = Record<string, unknown>;
type Control = (parts: ControlDependencies, request: SimRequest, id: string, body: Body) => SimulatedResponse;

const isTrue = (value: string | null): boolean => value === '1' || value === 'true';

const queryOf = (query: URLSearchParams): IngestLogQuery => ({
  since: Number(query.get('since') ?? '0') || 0,
  limit: Math.min(10_000, Number(query.get('limit') ?? '1000') || 1_000),
  ...(query.has('integration') ? { integration: String(query.get('integration')) } : {}),
  ...(query.has('kind') ? { kind: query.get('kind') as ItemKind } : {}),
  ...(query.has('outcome') ? { outcome: query.get('outcome') as Outcome } : {}),
  ...(isTrue(query.get('accepted')) ? { accepted: true } : {}),
});

const setSwitch: Control = ({ switches }, _request, _id, body) => {
  const change = parseSwitch(body);
  return typeof change === 'string' ? json(400, { error: change }) : json(201, { id: switches.set(change) });
};

const putIntegration: Control = ({ integrations }, _request, id, body) => {
  const change = { ...body, id: id === '' ? body['id'] : id } as IntegrationChange & { id: unknown };
  return typeof change.id === 'string' && change.id !== ''
    ? json(200, integrations.put({ ...change, id: change.id }))
    : json(400, { error: 'id is missing' });
};

const rotate: Control = ({ integrations }, _request, id) =>
  integrations.get(id)
    ? json(200, { api_key: integrations.rotateKey(id) })
    : json(404, { error: 'no such integration' });

const changeSettings: Control = ({ tokens }, _request, _id, body) =>
  json(200, Object.assign(tokens.settings, body as Partial<TokenSettings>));

const table: readonly (readonly [method: string, path: RegExp, control: Control])[] = [
  ['GET', /^\/_sim\/door$/, ({ door }, { query }) => json(200, door.read(queryOf(query)))],
  ['GET', /^\/_sim\/items$/, ({ door }, { query }) => json(200, door.read({ ...queryOf(query), accepted: true }))],
  [
    'GET',
    /^\/_sim\/recent$/,
    ({ door }, { query }) => json(200, door.recent(Number(query.get('limit') ?? '50') || 50, queryOf(query))),
  ],
  ['GET', /^\/_sim\/stats$/, (parts) => json(200, parts.stats())],
  ['GET', /^\/_sim\/switches$/, ({ switches }) => json(200, switches.list())],
  ['POST', /^\/_sim\/switches$/, setSwitch],
  [
    'DELETE',
    /^\/_sim\/switches(?:\/([^/]+))?$/,
    ({ switches }, _request, id) => (switches.clear(id || undefined), json(200, {})),
  ],
  ['GET', /^\/_sim\/integrations$/, ({ integrations }) => json(200, integrations.list())],
  ['POST', /^\/_sim\/integrations(?:\/([^/]+))?$/, putIntegration],
  ['POST', /^\/_sim\/integrations\/([^/]+)\/rotate-key$/, rotate],
  [
    'DELETE',
    /^\/_sim\/integrations\/([^/]+)$/,
    ({ integrations }, _request, id) => json(integrations.delete(id) ? 200 : 404, {}),
  ],
  ['POST', /^\/_sim\/settings$/, changeSettings],
  ['POST', /^\/_sim\/tokens\/expire$/, ({ tokens }) => (tokens.expireAll(), json(200, {}))],
  [
    'POST',
    /^\/_sim\/down$/,
    (parts, _request, _id, body) => (parts.away(Number(body['ms']) || 1_000), json(200, {}, { connection: 'close' })),
  ],
];

const readJson = async (request: SimRequest): Promise<Body | undefined> => {
  const text = (await request.body()).toString();
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
};

/** The control API under `/_sim/`; no switch touches it. */
export const controlRoutes =
  (parts: ControlDependencies): Handle =>
  async (request) => {
    const body = await readJson(request);
    if (!body) return json(400, { error: 'a JSON object is expected' });
    for (const [method, path, control] of table) {
      const match = method === request.method ? path.exec(request.path) : null;
      if (match) return control(parts, request, decodeURIComponent(match[1] ?? ''), body);
    }
    return json(404, { error: 'no such control' });
  };

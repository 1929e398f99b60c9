import { type SimulatedResponse, json, type SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { struckBy } from '../switches/fault-registry.ts';
import { faultyAnswer, whenOf } from '../switches/fault.ts';
import { uuidOf } from './integrations.ts';
import { type DirectoryDependencies, listIntegrations, register, showIntegration, showKey } from './registration.ts';
import { takeItems } from './sensors/batch.ts';
import { takeAttachment, takeChange } from './sensors/changes.ts';
import type { SensorDependencies } from './sensors/parts.ts';
import type { Tokens } from './tokens.ts';

/** Everything the platform's own endpoints work with. */
export interface RouteDependencies extends SensorDependencies, DirectoryDependencies {
  readonly tokens: Tokens;
}

/** Answers a request; `id` is what its path caught. */
type Run = (
  parts: RouteDependencies,
  request: SimRequest,
  id: string,
) => Promise<SimulatedResponse> | SimulatedResponse;

type Route = readonly [method: string, path: RegExp, endpoint: string, run: Run];

/** Strikes with the switches of an endpoint; those that store do so by themselves. */
const struck =
  (endpoint: string, run: Run): Run =>
  async (parts, request, id) => {
    const integration = id === '' ? undefined : id;
    const terminal = await struckBy(parts.switches, parts.clock, { endpoint, ...(integration && { integration }) });
    if (terminal && whenOf(terminal) !== 'after') return faultyAnswer(terminal);
    const good = await run(parts, request, id);
    return terminal ? faultyAnswer(terminal, good) : good;
  };

/** An endpoint for callers with a token: first the switches, then the token, then the answer. */
const guarded = (method: string, path: RegExp, endpoint: string, run: Run): Route => [
  method,
  path,
  endpoint,
  struck(endpoint, (parts, request, id) => parts.tokens.refusal(request) ?? run(parts, request, id)),
];

const routes: readonly Route[] = [
  ['POST', /^\/v2\/observations\/$/, 'observations', (parts, request) => takeItems(parts, 'observation', request)],
  ['POST', /^\/v2\/messages\/$/, 'messages', (parts, request) => takeItems(parts, 'message', request)],
  ['POST', /^\/v2\/events\/$/, 'events', (parts, request) => takeItems(parts, 'event', request)],
  ['PATCH', /^\/v2\/events\/([^/]+)\/$/, 'event_changes', (parts, request, id) => takeChange(parts, id, request)],
  [
    'POST',
    /^\/v2\/events\/([^/]+)\/attachments\/$/,
    'attachments',
    (parts, request, id) => takeAttachment(parts, id, request),
  ],
  ['POST', /^\/auth\/token$/, 'token', struck('token', ({ tokens }, request) => tokens.grant(request))],
  guarded('POST', /^\/v2\/integrations\/types\/$/, 'registration', (parts, request) =>
    register(parts, parts.tokens.settings.superuser, request),
  ),
  guarded('GET', /^\/v2\/integrations\/$/, 'list', (parts, { query }) => listIntegrations(parts, query)),
  guarded('GET', /^\/v2\/integrations\/([^/]+)\/$/, 'integration', (parts, _, id) => showIntegration(parts, id)),
  guarded('GET', /^\/v2\/integrations\/([^/]+)\/api-key\/$/, 'api_key', (parts, _, id) => showKey(parts, id)),
];

/** The platform's own endpoints, counted; whatever is not one of them is 404. */
export const platformRoutes =
  (parts: RouteDependencies): Handle =>
  async (request) => {
    for (const [method, path, endpoint, run] of routes) {
      const match = method === request.method ? path.exec(request.path) : null;
      if (!match) continue;
      parts.counting.call(endpoint);
      const answer = await run(parts, request, uuidOf(decodeURIComponent(match[1] ?? '')));
      parts.counting.answer(endpoint, answer.status);
      return answer;
    }
    parts.counting.call('unknown');
    return json(404, { detail: 'Not found.' });
  };

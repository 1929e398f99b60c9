import { type SimulatedResponse, json, type SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { faultyAnswer, whenOf } from '../switches/fault.ts';
import { wait } from '../time/clock.ts';
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

/** A request that found its endpoint. */
interface Match {
  readonly endpoint: string;
  readonly integration?: string;
  /** The endpoint handles switches by itself, because it stores. */
  readonly ownSwitches?: boolean;
  readonly run: (request: SimRequest) => Promise<SimulatedResponse> | SimulatedResponse;
}

type Route = (parts: RouteDependencies, id: string) => Match;

/** Bearer first, then the answer. */
const guarded =
  (parts: RouteDependencies, run: Match['run']): Match['run'] =>
  (request) =>
    parts.tokens.refusal(request) ?? run(request);

const table: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  [
    'POST',
    /^\/v2\/observations\/$/,
    (parts) => ({
      endpoint: 'observations',
      ownSwitches: true,
      run: (request) => takeItems(parts, 'observation', request),
    }),
  ],
  [
    'POST',
    /^\/v2\/messages\/$/,
    (parts) => ({ endpoint: 'messages', ownSwitches: true, run: (request) => takeItems(parts, 'message', request) }),
  ],
  [
    'POST',
    /^\/v2\/events\/$/,
    (parts) => ({ endpoint: 'events', ownSwitches: true, run: (request) => takeItems(parts, 'event', request) }),
  ],
  [
    'PATCH',
    /^\/v2\/events\/([^/]+)\/$/,
    (parts, id) => ({ endpoint: 'event_changes', ownSwitches: true, run: (request) => takeChange(parts, id, request) }),
  ],
  [
    'POST',
    /^\/v2\/events\/([^/]+)\/attachments\/$/,
    (parts, id) => ({
      endpoint: 'attachments',
      ownSwitches: true,
      run: (request) => takeAttachment(parts, id, request),
    }),
  ],
  ['POST', /^\/auth\/token$/, (parts) => ({ endpoint: 'token', run: (request) => parts.tokens.grant(request) })],
  [
    'POST',
    /^\/v2\/integrations\/types\/$/,
    (parts) => ({
      endpoint: 'registration',
      run: guarded(parts, (request) => register(parts, parts.tokens.settings.superuser, request)),
    }),
  ],
  [
    'GET',
    /^\/v2\/integrations\/$/,
    (parts) => ({ endpoint: 'list', run: guarded(parts, ({ query }) => listIntegrations(parts, query)) }),
  ],
  [
    'GET',
    /^\/v2\/integrations\/([^/]+)\/$/,
    (parts, id) => ({
      endpoint: 'integration',
      integration: id,
      run: guarded(parts, () => showIntegration(parts, id)),
    }),
  ],
  [
    'GET',
    /^\/v2\/integrations\/([^/]+)\/api-key\/$/,
    (parts, id) => ({ endpoint: 'api_key', integration: id, run: guarded(parts, () => showKey(parts, id)) }),
  ],
];

const find = (parts: RouteDependencies, request: SimRequest): Match | undefined => {
  for (const [method, path, route] of table) {
    if (method !== request.method) continue;
    const match = path.exec(request.path);
    if (match) return route(parts, uuidOf(decodeURIComponent(match[1] ?? '')));
  }
  return undefined;
};

const withSwitches = async (
  parts: RouteDependencies,
  match: Match,
  request: SimRequest,
): Promise<SimulatedResponse> => {
  const { terminal, delayMs } = parts.switches.take(match);
  if (delayMs > 0) await wait(parts.clock, delayMs);
  if (terminal && whenOf(terminal) !== 'after') return faultyAnswer(terminal);
  const good = await match.run(request);
  return terminal ? faultyAnswer(terminal, good) : good;
};

/** The platform's own endpoints, counted; whatever is not one of them is 404. */
export const platformRoutes =
  (parts: RouteDependencies): Handle =>
  async (request) => {
    const match = find(parts, request);
    if (!match) {
      parts.counting.call('unknown');
      return json(404, { detail: 'Not found.' });
    }
    parts.counting.call(match.endpoint);
    const answer = await (match.ownSwitches === true ? match.run(request) : withSwitches(parts, match, request));
    parts.counting.answer(match.endpoint, answer.status);
    return answer;
  };

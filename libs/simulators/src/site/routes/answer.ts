import { type SimulatedResponse, json, type SimRequest } from '../../http/answer.ts';
import { failed, htmlError, ok } from '../answers/envelope.ts';
import { parseExact } from '../exact-json.ts';
import { optionsOf } from '../form/render.ts';
import { allows, heldPermissions, permissions } from '../permissions.ts';
import type { Token } from '../state/records.ts';
import type { SiteSwitches } from '../switches.ts';
import type { Call, Route, Run, SiteDependencies } from './call.ts';
import { choiceRoutes } from './choices.ts';
import { eventRoutes } from './events.ts';
import { formRoutes } from './form.ts';
import { groupRoutes } from './groups.ts';
import { observationRoutes } from './observations.ts';
import { patrolRoutes } from './patrols.ts';
import { sourceRoutes } from './sources.ts';
import { subjectRoutes } from './subjects.ts';
import { typeRoutes } from './types.ts';

/** A member group as an id or an object; a subject among them is always an object. */
const item = ({ store, switches }: Call, id: string): unknown => {
  const subject = store.subjects.get(id);
  if (subject) return { id, name: subject.name, subject_subtype: subject.subject_subtype };
  const name = store.groups.get(id)?.name ?? 'a group that is gone';
  if (switches.config_items === 'ids') return id;
  return switches.config_items === 'names' ? { name } : { id, name };
};

const show: Run = (call) => {
  const { switches, store } = call;
  if (switches.config === 'not_found') return failed(404);
  const groups = switches.config === 'empty' ? [] : store.settings.member_groups;
  return ok({ name: 'default', [switches.config_key]: groups.map((id) => item(call, id)) });
};

/** The patrol configuration with its member groups, in whichever shape the switches say (site contract, section 7). */
const configRoutes: readonly Route[] = [
  { method: 'GET', path: /^activity\/patrols\/config\/default\/$/, needs: permissions.viewConfig, run: show },
];

const features = (kind: SiteSwitches['patrol_schemas']): object => {
  if (kind === 'no_features') return {};
  return { preview_features: { dark_mode: true, ...(kind === 'absent' ? {} : { patrol_schemas: kind === 'on' }) } };
};

/** The state of the site and its preview features (site contract, section 2); the only path for everybody. */
const status = (switches: SiteSwitches) =>
  ok({ version: '1.0', server_time: null, ...features(switches.patrol_schemas) });

const me: Run = ({ token, switches }) => {
  const { id, username, is_superuser, first_name, last_name, is_active, actions } = token;
  const permissions = switches.user_permissions ? heldPermissions(token) : actions;
  return ok({ id, username, is_superuser, first_name, last_name, is_active, ...(permissions ? { permissions } : {}) });
};

/** The opposite of the preview feature, which is independent of it. */
const otherFeatures: Run = ({ switches }) =>
  ok([{ name: 'patrol_schemas', enabled: switches.patrol_schemas !== 'on' }]);

/** The options of a field, without envelope. */
const optionSchema: Run = ({ store, query }) =>
  json(200, { type: 'string', ...optionsOf(store, query.get('field') ?? '') });

/** The token probe, `features/` (section 2) and the option schemas. */
const basicRoutes: readonly Route[] = [
  { method: 'GET', path: /^\/api\/v2\.0\/schemas\/choices\.json$/, run: optionSchema },
  { method: 'GET', path: /^user\/me\/?$/, run: me },
  { method: 'GET', path: /^features\/$/, run: otherFeatures },
];

const routes: readonly Route[] = [
  ...basicRoutes,
  ...typeRoutes,
  ...patrolRoutes,
  ...formRoutes,
  ...choiceRoutes,
  ...subjectRoutes,
  ...groupRoutes,
  ...configRoutes,
  ...eventRoutes,
  ...observationRoutes,
  ...sourceRoutes,
];

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The route of a path, and what its path caught; the reason when there is none. */
const findRoute = (method: string, path: string): { route: Route; key: string } | 'no_path' | 'no_method' => {
  const here = routes.filter((route) => route.path.test(path));
  const route = here.find((route) => route.method === method);
  if (route) return { route, key: decoded(route.path.exec(path)?.[1] ?? '') };
  return here.length > 0 ? 'no_method' : 'no_path';
};

/** A request whose body and token are known. */
export interface Incoming {
  readonly request: SimRequest;
  readonly text: string;
  readonly token: Token | undefined;
}

/** Where most of the API is. */
const apiPrefix = '/api/v1.0/';

const jsonOf = ({ request, text }: Incoming): { value: unknown } | SimulatedResponse => {
  if (text === '') return { value: undefined };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return failed(415);
  try {
    return { value: parseExact(text) };
  } catch {
    return failed(400, 'JSON parse error');
  }
};

/** A path below the API without its prefix; any other as it is. */
export const shortPath = (path: string): string => (path.startsWith(apiPrefix) ? path.slice(apiPrefix.length) : path);

/** Handles a request; HTML 404 outside of the API (site contract, section 1). */
export const answerSite = (parts: SiteDependencies, incoming: Incoming): SimulatedResponse => {
  const { request, token } = incoming;
  const { switches } = parts.store.settings;
  const path = shortPath(request.path);
  if (path === 'status/' && request.method === 'GET') return status(switches);
  const found = findRoute(request.method, path);
  if (found === 'no_path') return path === request.path ? htmlError(404, 'Not Found') : failed(404);
  if (!token) return failed(401, 'Authentication credentials were not provided or are not known.');
  if (found === 'no_method') return failed(405);
  const { route, key } = found;
  if (route.needs && !allows(token, route.needs, switches))
    return failed(403, 'You do not have permission to perform this action.');
  const body = jsonOf(incoming);
  if (!('value' in body)) return body;
  const host = request.headers['host'] ?? 'localhost';
  const { query } = request;
  return route.run({ ...parts, switches, token, path: request.path, key, query, host, body: body.value });
};

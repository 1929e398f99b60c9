import { type SimulatedResponse, json, type SimRequest } from '../../http/answer.ts';
import { failed, htmlError, ok } from '../answers/envelope.ts';
import { parseExact } from '../../json.ts';
import { allows, heldPermissions, permissionsByModel } from '../permissions.ts';
import type { Token } from '../state/records.ts';
import type { SiteSwitches } from '../switches.ts';
import type { Call, Route, Run, SiteDependencies } from './call.ts';
import { choiceRoutes } from './choices.ts';
import { configRoutes } from './config.ts';
import { eventTypeRoutes } from './event-types.ts';
import { eventWriteRoutes } from './event-writes.ts';
import { eventRoutes } from './events.ts';
import { formRoutes } from './form.ts';
import { groupRoutes } from './groups.ts';
import { observationRoutes } from './observations.ts';
import { patrolRoutes } from './patrols.ts';
import { patrolWriteRoutes } from './patrol-writes.ts';
import { sourceRoutes } from './sources.ts';
import { subjectRoutes } from './subjects.ts';
import { typeRoutes } from './types.ts';

const features = (kind: SiteSwitches['patrol_schemas']): object => {
  if (kind === 'no_features') return {};
  return { preview_features: { dark_mode: true, ...(kind === 'absent' ? {} : { patrol_schemas: kind === 'on' }) } };
};

/** The state of the site and its preview features (site contract, section 2); the only path for everybody. */
const status = (switches: SiteSwitches) =>
  ok({ version: '1.0', server_time: null, ...features(switches.patrol_schemas) });

const shownPermissions = ({ token, store, switches }: Call): object => {
  if (token.actions) return { permissions: token.actions };
  if (switches.user_permissions === 'absent') return {};
  return {
    permissions: switches.user_permissions === 'by_model' ? permissionsByModel(store, token) : heldPermissions(token),
  };
};

/** The token probe. */
const me: Run = (call) => {
  const { id, username, is_superuser, first_name, last_name, is_active } = call.token;
  return ok({ id, username, is_superuser, first_name, last_name, is_active, ...shownPermissions(call) });
};

const routes: readonly Route[] = [
  { method: 'GET', path: /^user\/me$/, run: me },
  ...typeRoutes,
  ...patrolRoutes,
  ...patrolWriteRoutes,
  ...formRoutes,
  ...choiceRoutes,
  ...subjectRoutes,
  ...groupRoutes,
  ...configRoutes,
  ...eventRoutes,
  ...eventWriteRoutes,
  ...eventTypeRoutes,
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

/** The routes of a path, with or without its last slash, and what the path caught. */
const routesAt = (path: string, switches: SiteSwitches): readonly { readonly route: Route; readonly key: string }[] => {
  const bare = path.replace(/\/$/, '');
  return routes.flatMap((route) => {
    const match = route.path.exec(bare) ?? route.path.exec(`${bare}/`);
    const isThere = route.isThere?.(switches) ?? true;
    return match && isThere ? [{ route, key: decoded(match[1] ?? '') }] : [];
  });
};

/** What may be done at a path; a site that is too old says so here, too. */
const optionsAt = (here: readonly { readonly route: Route }[]): SimulatedResponse => {
  const methods = new Set(here.map(({ route }) => route.method));
  const allow = [...methods, 'HEAD', 'OPTIONS'].join(', ');
  return json(200, { name: 'Resource', renders: ['application/json'] }, { allow });
};

/** A request whose body and token are known. */
export interface Incoming {
  readonly request: SimRequest;
  readonly text: string;
  readonly bytes: Buffer;
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
  if (/^status\/?$/.test(path) && request.method === 'GET') return status(switches);
  const here = routesAt(path, switches);
  if (here.length === 0) return path === request.path ? htmlError(404, 'Not Found') : failed(404);
  if (!token) return failed(401, 'Authentication credentials were not provided or are not known.');
  if (request.method === 'OPTIONS') return optionsAt(here);
  const found = here.find(({ route }) => route.method === request.method);
  if (!found) return failed(405);
  const { route, key } = found;
  if (route.needs && !allows(token, route.needs, switches))
    return switches.missing_permission === 'empty_list'
      ? ok([])
      : failed(403, 'You do not have permission to perform this action.');
  const host = request.headers['host'] ?? 'localhost';
  const { query } = request;
  const call = { ...parts, switches, token, path: request.path, key, query, host, body: undefined };
  if (route.takesFiles) {
    const type = request.headers['content-type'] ?? '';
    return /^multipart\/form-data\b/i.test(type)
      ? route.run({ ...call, upload: { type, bytes: incoming.bytes } })
      : failed(415);
  }
  const body = jsonOf(incoming);
  return 'value' in body ? route.run({ ...call, body: body.value }) : body;
};

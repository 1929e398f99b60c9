import { json, type Answer, type SimRequest } from '../../http/answer.ts';
import { failed, htmlError } from '../answers/envelope.ts';
import { allows } from '../permissions.ts';
import type { Token } from '../state/records.ts';
import { optionsOf } from '../form/render.ts';
import { status } from './basics.ts';
import { parseExact } from '../exact-json.ts';
import type { SiteParts } from './call.ts';
import { findRoute } from './find.ts';

/** A request whose body and token are known. */
export interface Incoming {
  readonly request: SimRequest;
  readonly text: string;
  readonly token: Token | undefined;
}

/** Where everything but the page and the option schemas is. */
export const apiPrefix = '/api/v1.0/';

const jsonOf = ({ request, text }: Incoming): { value: unknown } | Answer => {
  if (text === '') return { value: undefined };
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return failed(415);
  try {
    return { value: parseExact(text) };
  } catch {
    return failed(400, 'JSON parse error');
  }
};

const answerApi = (parts: SiteParts, incoming: Incoming): Answer => {
  const { request, token } = incoming;
  const { switches } = parts.store.settings;
  const path = request.path.slice(apiPrefix.length);
  if (path === 'status/' && request.method === 'GET') return status(switches);
  const found = findRoute(request.method, path);
  if (found === 'no_path') return failed(404);
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

const optionSchema = /^\/api\/v2\.0\/schemas\/choices\.json$/;

/** What the site does with a request: its API, the option schemas without envelope, and HTML 404 for the rest (site contract, section 1). */
export const answerSite = (parts: SiteParts, incoming: Incoming): Answer => {
  const { request, token } = incoming;
  if (request.path.startsWith(apiPrefix)) return answerApi(parts, incoming);
  if (!optionSchema.test(request.path)) return htmlError(404, 'Not Found');
  if (!token) return failed(401);
  return json(200, { type: 'string', ...optionsOf(parts.store, request.query.get('field') ?? '') });
};

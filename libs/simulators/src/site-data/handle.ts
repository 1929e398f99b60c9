import { type SimulatedResponse, json, type SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { failed, htmlError } from '../site/answers/envelope.ts';
import { siteFaultAnswer } from '../site/faults.ts';
import type { LogTicket, RequestLog } from '../site/log.ts';
import type { SwitchBoard } from '../switches/fault-registry.ts';
import { whenOf } from '../switches/fault.ts';
import { type Clock, wait } from '../time/clock.ts';
import type { Arrivals } from './arrivals.ts';
import type { DataRoute } from './call.ts';
import type { SiteData } from './records.ts';
import { categories, events, file, me, newEventTypes, oldEventTypes } from './routes/events.ts';
import { observations } from './routes/observations.ts';
import { source, sourceSubjects, subjectGroups, subjectSources } from './routes/sources.ts';
import type { DataSwitches } from './switches.ts';
import type { DataTokens } from './tokens.ts';

const minuteMs = 60_000;

/** Counts requests in minutes: asks for so many seconds of rest beyond a limit, 0 for none. */
const createThrottle = (clock: Clock) => {
  let [minute, count] = [-Infinity, 0];
  return (limit: number): number => {
    const now = clock.monotonic();
    if (now - minute >= minuteMs) [minute, count] = [now, 0];
    count += 1;
    return limit > 0 && count > limit ? Math.ceil((minute + minuteMs - now) / 1_000) : 0;
  };
};

/** What a login is decided with. */
interface LoginDependencies {
  readonly data: SiteData;
  readonly tokens: DataTokens;
  readonly clientId: string;
  /** Seconds. */
  readonly lifeS: number;
}

const refusal = (status: number, error: string, description: string): SimulatedResponse =>
  json(status, { error, error_description: description });

/** `POST /oauth2/token`: the password grant, as a form. */
const login = async (
  { data, tokens, clientId, lifeS }: LoginDependencies,
  request: SimRequest,
): Promise<SimulatedResponse> => {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded'))
    return refusal(400, 'invalid_request', 'The body is no form.');
  const form = new URLSearchParams((await request.body()).toString());
  if (form.get('client_id') !== clientId) return refusal(401, 'invalid_client', 'The client is not known.');
  if (form.get('grant_type') !== 'password') return refusal(400, 'unsupported_grant_type', 'Only by password.');
  const user = data.users.find(({ username }) => username === form.get('username'));
  if (!user || !user.is_active || user.password !== form.get('password'))
    return refusal(400, 'invalid_grant', 'Invalid credentials given.');
  return json(200, {
    access_token: tokens.issue(user.username, lifeS),
    expires_in: lifeS,
    token_type: 'Bearer',
    scope: 'read write',
    refresh_token: 'unused',
  });
};

/** Every path, whole and with the slash at its end that the contract gives it. */
const routes: readonly (readonly [path: RegExp, route: DataRoute])[] = [
  [/^\/api\/v1\.0\/user\/me$/, me],
  [/^\/api\/v1\.0\/activity\/events\/eventtypes$/, oldEventTypes],
  [/^\/api\/v2\.0\/activity\/eventtypes$/, newEventTypes],
  [/^\/api\/v1\.0\/activity\/events\/categories$/, categories],
  [/^\/api\/v1\.0\/activity\/events$/, events],
  [/^\/api\/v1\.0\/activity\/event\/[^/]+\/file\/[^/]+\/.*$/, file],
  [/^\/api\/v1\.0\/subjectgroups$/, subjectGroups],
  [/^\/api\/v1\.0\/subjectsources$/, subjectSources],
  [/^\/api\/v1\.0\/observations$/, observations],
  [/^\/api\/v1\.0\/source\/([^/]+)\/$/, source],
  [/^\/api\/v1\.0\/source\/([^/]+)\/subjects$/, sourceSubjects],
];

/** The route of a path, and what its pattern took out of it. */
const dataRouteOf = (path: string): { readonly route: DataRoute; readonly key: string } | undefined => {
  for (const [pattern, route] of routes) {
    const match = pattern.exec(path);
    if (match) return { route, key: decodeURIComponent(match[1] ?? '') };
  }
  return undefined;
};

/** What requests go through. */
export interface DataDependencies {
  readonly clock: Clock;
  readonly faults: SwitchBoard;
  readonly log: RequestLog;
  readonly tokens: DataTokens;
  readonly clientId: string;
  readonly arrivals: Arrivals;
  data(): SiteData;
  switches(): DataSwitches;
}

/** How far the site's own clock stands from the machine's, ms. */
export const offsetOf = ({ clock_offset_s: seconds }: DataSwitches): number => seconds * 1_000;

const loginPath = '/oauth2/token';
const apiPrefix = '/api/v1.0/';
const eventsPath = `${apiPrefix}activity/events`;

const answerApi = (parts: DataDependencies, request: SimRequest, ticket: LogTicket): SimulatedResponse => {
  const { path, method, query, headers } = request;
  if (!path.startsWith('/api/')) return htmlError(404, 'Not Found');
  const bearer = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  const owner = bearer === undefined ? undefined : parts.tokens.owner(bearer);
  ticket.note({ username: owner ?? null });
  const data = parts.data();
  const user = data.users.find(({ username }) => username === owner);
  const found = dataRouteOf(path);
  if (!found) return failed(404);
  if (!user) return failed(401, 'Authentication credentials were not provided or are not known.');
  if (method !== 'GET') return failed(405);
  const host = headers['host'] ?? 'localhost';
  const switches = parts.switches();
  const times = { now: parts.clock.now(), offsetMs: offsetOf(switches) };
  const page = found.route({ data, user, key: found.key, path, query, host, switches, ...times });
  if (path === eventsPath && page.body?.includes('"next":"')) parts.arrivals.editSome(switches.edits_per_page);
  return page;
};

const answer = (
  parts: DataDependencies,
  request: SimRequest,
  ticket: LogTicket,
): SimulatedResponse | Promise<SimulatedResponse> => {
  if (request.path !== loginPath) return answerApi(parts, request, ticket);
  if (request.method !== 'POST') return failed(405);
  const { tokens, clientId } = parts;
  return login({ data: parts.data(), tokens, clientId, lifeS: parts.switches().token_life_s }, request);
};

type Throttle = ReturnType<typeof createThrottle>;

const run = async (
  parts: DataDependencies,
  request: SimRequest,
  ticket: LogTicket,
  throttle: Throttle,
): Promise<SimulatedResponse> => {
  const { method, path } = request;
  const place = { endpoint: 'site', method, path: path.startsWith(apiPrefix) ? path.slice(apiPrefix.length) : path };
  const { terminal, delayMs } = parts.faults.take(place);
  const ms = delayMs + parts.switches().latency_ms;
  if (ms > 0) await wait(parts.clock, ms);
  const restS = throttle(parts.switches().throttle_per_minute);
  if (restS > 0) return siteFaultAnswer({ fault: 'status', status: 429, retry_after: restS });
  parts.arrivals.settle();
  if (terminal && whenOf(terminal) !== 'after') return siteFaultAnswer(terminal);
  const good = await answer(parts, request, ticket);
  ticket.note({ handled: good.status });
  return terminal ? siteFaultAnswer(terminal, good) : good;
};

/** Handles requests: into the log (bodies and tokens left out), through latency and faults, to the routes; dated by the site's clock. */
export const dataHandle = (parts: DataDependencies): Handle => {
  const throttle = createThrottle(parts.clock);
  return async (request) => {
    const { method, path, query, headers } = request;
    const ticket = parts.log.begin({
      method,
      path,
      query: query.toString(),
      accept: headers['accept'] ?? null,
      content_type: headers['content-type'] ?? null,
    });
    try {
      const given = await run(parts, request, ticket, throttle);
      ticket.note({ status: given.status });
      const date = new Date(parts.clock.now() + offsetOf(parts.switches())).toUTCString();
      return { ...given, headers: { ...given.headers, date }, onEnd: ticket.end };
    } catch (error) {
      ticket.end();
      throw error;
    }
  };
};

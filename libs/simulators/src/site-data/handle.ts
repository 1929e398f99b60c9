import type { Answer, SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { failed, htmlError } from '../site/answers/envelope.ts';
import { siteFaultAnswer } from '../site/faults.ts';
import type { LogTicket, RequestLog } from '../site/log.ts';
import type { SwitchBoard } from '../switches/board.ts';
import { whenOf } from '../switches/faulty-answer.ts';
import { wait, type Clock } from '../time/clock.ts';
import type { Arrivals } from './arrivals.ts';
import type { SiteData } from './records.ts';
import { login } from './routes/login.ts';
import { dataRouteOf } from './routes/table.ts';
import type { DataSwitches } from './switches.ts';
import { createThrottle } from './throttle.ts';
import type { DataTokens } from './tokens.ts';

/** What requests go through. */
export interface DataParts {
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

const answerApi = (parts: DataParts, request: SimRequest, ticket: LogTicket): Answer => {
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

const answer = (parts: DataParts, request: SimRequest, ticket: LogTicket): Answer | Promise<Answer> => {
  if (request.path !== loginPath) return answerApi(parts, request, ticket);
  if (request.method !== 'POST') return failed(405);
  const { tokens, clientId } = parts;
  return login({ data: parts.data(), tokens, clientId, lifeS: parts.switches().token_life_s }, request);
};

type Throttle = ReturnType<typeof createThrottle>;

const run = async (parts: DataParts, request: SimRequest, ticket: LogTicket, throttle: Throttle): Promise<Answer> => {
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
export const dataHandle = (parts: DataParts): Handle => {
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

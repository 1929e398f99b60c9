import type { Answer, SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import { failed, htmlError } from '../site/answers/envelope.ts';
import { siteFaultAnswer } from '../site/faults.ts';
import type { LogTicket, RequestLog } from '../site/log.ts';
import type { SwitchBoard } from '../switches/board.ts';
import { whenOf } from '../switches/faulty-answer.ts';
import { wait, type Clock } from '../time/clock.ts';
import type { SiteData } from './records.ts';
import { login } from './routes/login.ts';
import { dataRouteOf } from './routes/table.ts';
import type { DataSwitches } from './switches.ts';
import type { DataTokens } from './tokens.ts';

/** What requests go through. */
export interface DataParts {
  readonly clock: Clock;
  readonly faults: SwitchBoard;
  readonly log: RequestLog;
  readonly tokens: DataTokens;
  readonly clientId: string;
  data(): SiteData;
  switches(): DataSwitches;
}

const loginPath = '/oauth2/token';
const apiPrefix = '/api/v1.0/';

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
  return found.route({ data, user, key: found.key, path, query, host, switches: parts.switches() });
};

const answer = (parts: DataParts, request: SimRequest, ticket: LogTicket): Answer | Promise<Answer> => {
  if (request.path !== loginPath) return answerApi(parts, request, ticket);
  if (request.method !== 'POST') return failed(405);
  const { tokens, clientId } = parts;
  return login({ data: parts.data(), tokens, clientId, lifeS: parts.switches().token_life_s }, request);
};

const run = async (parts: DataParts, request: SimRequest, ticket: LogTicket): Promise<Answer> => {
  const { method, path } = request;
  const place = { endpoint: 'site', method, path: path.startsWith(apiPrefix) ? path.slice(apiPrefix.length) : path };
  const { terminal, delayMs } = parts.faults.take(place);
  const ms = delayMs + parts.switches().latency_ms;
  if (ms > 0) await wait(parts.clock, ms);
  if (terminal && whenOf(terminal) !== 'after') return siteFaultAnswer(terminal);
  const good = await answer(parts, request, ticket);
  ticket.note({ handled: good.status });
  return terminal ? siteFaultAnswer(terminal, good) : good;
};

/** Handles requests: into the log (bodies and tokens left out), through latency and faults, to the routes. */
export const dataHandle =
  (parts: DataParts): Handle =>
  async (request) => {
    const { method, path, query, headers } = request;
    const ticket = parts.log.begin({
      method,
      path,
      query: query.toString(),
      accept: headers['accept'] ?? null,
      content_type: headers['content-type'] ?? null,
    });
    try {
      const given = await run(parts, request, ticket);
      ticket.note({ status: given.status });
      return { ...given, onEnd: ticket.end };
    } catch (error) {
      ticket.end();
      throw error;
    }
  };

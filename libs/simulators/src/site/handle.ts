import { gzipSync } from 'node:zlib';
import type { SimulatedResponse, SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import type { SwitchBoard } from '../switches/fault-registry.ts';
import { whenOf } from '../switches/fault.ts';
import { type Clock, wait } from '../time/clock.ts';
import { failed } from './answers/envelope.ts';
import { parseExact } from './exact-json.ts';
import { siteFaultAnswer } from './faults.ts';
import type { LogTicket, RequestLog } from './log.ts';
import { answerSite, apiPrefix, type Incoming } from './routes/answer.ts';
import type { SiteDependencies } from './routes/call.ts';
import type { Throttle, TokenBook } from './tokens.ts';

/** The same answer as a proxy sends it that compresses whatever has a body. */
const compressed = (answer: SimulatedResponse): SimulatedResponse => {
  const { body, bytes, headers } = answer;
  const whole = bytes ?? body;
  if (whole === undefined || whole.length === 0) return answer;
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, bytes: gzipSync(whole) };
};

/** What the site's requests go through. */
export interface HandleDependencies extends SiteDependencies {
  readonly clock: Clock;
  readonly faults: SwitchBoard;
  readonly log: RequestLog;
  readonly tokens: TokenBook;
  readonly throttle: Throttle;
}

const loggedBody = (text: string): unknown => {
  if (text === '') return null;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
};

const begin = (log: RequestLog, { method, path, query, headers }: SimRequest): LogTicket =>
  log.begin({
    method,
    path,
    query: query.toString(),
    accept: headers['accept'] ?? null,
    content_type: headers['content-type'] ?? null,
  });

const read = async ({ tokens }: HandleDependencies, request: SimRequest, ticket: LogTicket): Promise<Incoming> => {
  const text = (await request.body()).toString();
  const bearer = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  const token = bearer === undefined ? undefined : tokens.get(bearer);
  ticket.note({ body: loggedBody(text), username: token?.username ?? null });
  return { request, text, token };
};

const run = async (
  parts: HandleDependencies,
  incoming: Incoming,
  ticket: LogTicket,
  arrival: number,
): Promise<SimulatedResponse> => {
  const { method, path } = incoming.request;
  const place = { endpoint: 'site', method, path: path.startsWith(apiPrefix) ? path.slice(apiPrefix.length) : path };
  const { terminal, delayMs } = parts.faults.take(place);
  const { latency_ms: latencyMs } = parts.store.settings.switches;
  // Taking the request in is part of its latency.
  const ms = arrival + delayMs + latencyMs - parts.clock.monotonic();
  if (ms > 0) await wait(parts.clock, ms);
  const retryAfter = parts.throttle.refuses(incoming.token?.id);
  if (retryAfter !== undefined) return { ...failed(429), headers: { 'retry-after': String(retryAfter) } };
  const handle = (): SimulatedResponse => {
    const good = answerSite(parts, incoming);
    ticket.note({ handled: good.status });
    return good;
  };
  if (!terminal) return handle();
  const when = whenOf(terminal);
  if (when === 'late' && terminal.fault === 'status')
    parts.clock.after(terminal.late_ms ?? 0, () => void handle(), true);
  return when === 'after' ? siteFaultAnswer(terminal, handle()) : siteFaultAnswer(terminal);
};

/** Handles the site's requests: into the log, through latency and faults, to the routes. */
export const siteHandle =
  (parts: HandleDependencies): Handle =>
  async (request) => {
    const arrival = parts.clock.monotonic();
    const ticket = begin(parts.log, request);
    try {
      const answer = await run(parts, await read(parts, request, ticket), ticket, arrival);
      ticket.note({ status: answer.status });
      const { compress } = parts.store.settings.switches;
      return { ...(compress ? compressed(answer) : answer), onEnd: ticket.end };
    } catch (error) {
      ticket.end();
      throw error;
    }
  };

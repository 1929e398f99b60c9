import { gzipSync } from 'node:zlib';
import { json, type SimulatedResponse, type SimRequest } from '../http/answer.ts';
import type { Handle } from '../http/server.ts';
import type { SwitchBoard } from '../switches/fault-registry.ts';
import { whenOf } from '../switches/fault.ts';
import { wait } from '../time/clock.ts';
import { failed } from './answers/envelope.ts';
import { offsetOf } from './arrivals.ts';
import { parseExact } from '../json.ts';
import { siteFaultAnswer } from './faults.ts';
import type { LogTicket, RequestLog } from './log.ts';
import { type Incoming, answerSite, shortPath } from './routes/answer.ts';
import type { SiteDependencies } from './routes/call.ts';
import type { TokenBook, Throttle } from './tokens.ts';

/** Where tokens are asked for with a password. */
const loginPath = '/oauth2/token';
/** Of a token that was asked for so. */
const tokenLifeS = 3_600;

const refusal = (status: number, error: string, description: string): SimulatedResponse =>
  json(status, { error, error_description: description });

/** The password grant, as a form. */
const login = ({ store, tokens, clientId }: HandleDependencies, { request, text }: Incoming): SimulatedResponse => {
  if (request.method !== 'POST') return failed(405);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded'))
    return refusal(400, 'invalid_request', 'The body is no form.');
  const form = new URLSearchParams(text);
  if (form.get('client_id') !== clientId) return refusal(401, 'invalid_client', 'The client is not known.');
  if (form.get('grant_type') !== 'password') return refusal(400, 'unsupported_grant_type', 'Only by password.');
  const user = [...store.tokens.values()].find(({ username }) => username === form.get('username'));
  if (!user || !user.is_active || user.password === null || user.password !== form.get('password'))
    return refusal(400, 'invalid_grant', 'Invalid credentials given.');
  return json(200, {
    access_token: tokens.issue(user.username, tokenLifeS),
    expires_in: tokenLifeS,
    token_type: 'Bearer',
    scope: 'read write',
    refresh_token: 'unused',
  });
};

/** The same answer as a proxy sends it that compresses whatever has a body. */
const compressed = (answer: SimulatedResponse): SimulatedResponse => {
  const { body, bytes, headers } = answer;
  const whole = bytes ?? body;
  if (whole === undefined || whole.length === 0) return answer;
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, bytes: gzipSync(whole) };
};

/** Middleware of the site's requests. */
export interface HandleDependencies extends SiteDependencies {
  readonly faults: SwitchBoard;
  readonly log: RequestLog;
  readonly tokens: TokenBook;
  readonly throttle: Throttle;
  /** The only client that tokens are given to. */
  readonly clientId: string;
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
  const bytes = await request.body();
  const text = bytes.toString();
  const bearer = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  const token = bearer === undefined ? undefined : tokens.get(bearer);
  const body = request.path === loginPath ? null : loggedBody(text);
  ticket.note({ body, username: token?.username ?? null });
  return { request, text, bytes, token };
};

const run = async (
  parts: HandleDependencies,
  incoming: Incoming,
  ticket: LogTicket,
  arrival: number,
): Promise<SimulatedResponse> => {
  const { method, path } = incoming.request;
  const { terminal, delayMs } = parts.faults.take({ endpoint: 'site', method, path: shortPath(path) });
  const { latency_ms: latencyMs } = parts.store.settings.switches;
  // Taking the request in is part of its latency.
  const ms = arrival + delayMs + latencyMs - parts.clock.monotonic();
  if (ms > 0) await wait(parts.clock, ms);
  const retryAfter = parts.throttle.refuses(incoming.token?.id);
  if (retryAfter !== undefined) return { ...failed(429), headers: { 'retry-after': String(retryAfter) } };
  parts.arrivals.settle();
  const handle = (): SimulatedResponse => {
    const good = path === loginPath ? login(parts, incoming) : answerSite(parts, incoming);
    ticket.note({ handled: good.status });
    return good;
  };
  if (!terminal) return handle();
  const when = whenOf(terminal);
  if (when === 'late' && terminal.fault === 'status')
    parts.clock.after(terminal.late_ms ?? 0, () => void handle(), true);
  return when === 'after' ? siteFaultAnswer(terminal, handle()) : siteFaultAnswer(terminal);
};

/** Handles the site's requests: into the log, through latency and faults, to the routes; dated by the site's clock. */
export const siteHandle =
  (parts: HandleDependencies): Handle =>
  async (request) => {
    const arrival = parts.clock.monotonic();
    const ticket = begin(parts.log, request);
    try {
      const answer = await run(parts, await read(parts, request, ticket), ticket, arrival);
      ticket.note({ status: answer.status });
      const { compress } = parts.store.settings.switches;
      const { headers, ...rest } = compress ? compressed(answer) : answer;
      const date = new Date(parts.clock.now() + offsetOf(parts.store)).toUTCString();
      return { ...rest, headers: { ...headers, date }, onEnd: ticket.end };
    } catch (error) {
      ticket.end();
      throw error;
    }
  };

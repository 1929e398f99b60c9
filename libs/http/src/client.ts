import { isIP } from 'node:net';
import { cutText, RelayError } from '@ranger-relay/errors';
import { blockListOf, type Clock, type MetricName, type Metrics } from '@ranger-relay/runtime';
import { createAgents, type Resolve } from './agents.ts';
import { decodeBody, makeAnswer, parseRetryAfter, secretsOf } from './answer.ts';
import { call, maxBytesOf, refusalError } from './call.ts';
import { createGuard, type Guard, type Protocol } from './guard.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from './port.ts';

const maxLength = 200;

/** `METHOD host/path` of a request, without user info and query; what errors and answers are named by. */
export const targetOf = (method: HttpRequest['method'], url: URL | null): string => {
  if (!url) return `${method} (unreadable address)`;
  const place = `${url.host}${url.pathname}`;
  return `${method} ${cutText(place, maxLength, '…')}`;
};

/** How a client is made. One client is one upstream: it has connections and a metric label of its own. */
export interface HttpClientOptions {
  readonly clock: Clock;
  /** Private networks (CIDR) that may be reached, also with plain http. */
  readonly allowedNetworks: readonly string[];
  readonly userAgent: string;
  /** Label of the upstream in the metrics. */
  readonly upstream: string;
  readonly metrics?: Pick<Metrics<MetricName>, 'count'>;
  /** Defaults of requests, ms: 3,000 to connect, 20,000 in all. */
  readonly connectMs?: number;
  readonly totalMs?: number;
  /** Most connections at a time; default 16. */
  readonly maxSockets?: number;
  /** Finds addresses; the system's resolver when left out. */
  readonly resolve?: Resolve;
  /** PEM of authorities that are trusted beside those that Node trusts. */
  readonly ca?: string;
  /** Environment that names a proxy: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in either case of letters. */
  readonly proxy?: NodeJS.ProcessEnv;
}

/** Statuses that somebody has to act on; the others are counted by their class. */
const logged: ReadonlySet<number> = new Set([401, 403, 429]);

const outcomeOf = (status: number): string => (logged.has(status) ? String(status) : `${Math.floor(status / 100)}xx`);

const isWeb = (protocol: string): protocol is Protocol => protocol === 'http:' || protocol === 'https:';

/** Literal addresses never pass a lookup, so they are judged before anything is opened. */
const checkUrl = (request: HttpRequest, guard: Guard): { url: URL; target: string } => {
  const url = URL.parse(request.url);
  const target = targetOf(request.method, url);
  if (!url) throw new RelayError('http_connect', { details: { target, reason: 'the address cannot be read' } });
  if (!isWeb(url.protocol)) throw new RelayError('http_scheme_refused', { details: { target } });
  const literal = url.hostname.replaceAll(/^\[|\]$/g, '');
  const refusal = isIP(literal) ? guard.refusal(url.protocol, literal) : undefined;
  if (refusal) throw refusalError(refusal, target);
  return { url, target };
};

/** Makes a client. Answers of any status are returned; redirects are not followed; nothing is retried. */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const { clock, upstream, userAgent, metrics, maxSockets = 16, resolve, ca, proxy } = options;
  const guard = createGuard(blockListOf(options.allowedNetworks));
  const agents = createAgents({
    guard,
    maxSockets,
    ...(resolve ? { resolve } : {}),
    ...(ca ? { ca } : {}),
    ...(proxy ? { proxy } : {}),
  });

  const perform = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { url, target } = checkUrl(request, guard);
    const answer = await call(request, url, {
      target,
      agents,
      userAgent,
      connectMs: request.connectMs ?? options.connectMs ?? 3_000,
      totalMs: request.totalMs ?? options.totalMs ?? 20_000,
    });
    const { statusCode, headers } = answer;
    const limits = { target, limit: maxBytesOf(request), status: statusCode };
    const body = await decodeBody(answer.body, headers['content-encoding'], limits);
    return makeAnswer({
      status: statusCode,
      headers,
      body,
      target,
      retryAfterMs: parseRetryAfter(headers['retry-after'], clock),
      secrets: secretsOf({ ...request.headers, ...request.form, password: url.password }),
    });
  };

  const count = (outcome: string): void => metrics?.count('relay_http_calls_total', { upstream, outcome });

  return {
    async request(request) {
      try {
        const answer = await perform(request);
        count(outcomeOf(answer.status));
        return answer;
      } catch (error) {
        count(error instanceof RelayError ? error.code : 'internal');
        throw error;
      }
    },
    close: () => agents.close(),
  };
};

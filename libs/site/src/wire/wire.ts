import type { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { parseExactJson } from '../exact-json.ts';
import { type Failure, failureOf, isTransient, type Loss, refusalOf, unreadable, unsent, unwrap } from './failure.ts';
import type { Losses, Pacer } from './pacer.ts';

/** One request to the site, below `/api/v1.0/`. */
export interface SiteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without a leading slash, with a trailing one. */
  readonly path: string;
  /** Parameters, or the query part of an address that the site returned. */
  readonly query?: Readonly<Record<string, string>> | string;
  readonly json?: unknown;
  /** Whether the request is sent without the token. */
  readonly anonymous?: boolean;
}

/** The query part of a request's address, with its question mark; empty without parameters. */
const searchOf = ({ query }: SiteRequest): string => {
  if (query === undefined || typeof query === 'string') return query ?? '';
  return `?${new URLSearchParams(query)}`;
};

/** A final response of the site. */
export interface Reply {
  readonly status: number;
  /** `METHOD host/path`. */
  readonly target: string;
  readonly ok: boolean;
  /** Returns the body without its envelope; undefined when it is empty. @throws RelayError `site_answer_unreadable` when it is not JSON */
  payload(): unknown;
  /** Whether the body contains this phrase, ignoring case. */
  says(phrase: string): boolean;
  /** The error of a response that is not `ok`. */
  refusal(): RelayError;
}

/** Creates a reply from the response to a request to `url`. */
export const replyOf = (answer: HttpAnswer, url: URL): Reply => {
  const { status, target, body } = answer;
  return {
    status,
    target,
    ok: status >= 200 && status < 300,
    payload() {
      if (body.length === 0) return undefined;
      try {
        return unwrap(parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
      } catch {
        throw unreadable(target, `status ${status} with ${body.length} bytes that are no JSON`);
      }
    },
    says: (phrase) => new TextDecoder().decode(body).toLowerCase().includes(phrase.toLowerCase()),
    refusal: () => refusalOf(answer, url),
  };
};

/** The dependencies of sending requests. */
interface WireOptions {
  readonly http: HttpClient;
  /** Ends in `/api/v1.0/`. */
  readonly base: string;
  readonly token: string;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly signal?: AbortSignal;
}

/** Either a final response or a failure. */
type Outcome = { readonly reply: Reply; readonly failure: null } | { readonly reply: null; readonly failure: Failure };

/** Sends single attempts, each when the pacer permits it. */
export interface Wire {
  /**
   * Sends a request once. Sends nothing after the signal is aborted.
   * @param lost the earlier attempts of the same request without a response
   * @param maxHeldMs a request that the pacer holds back for longer is not sent: `held`
   * @throws RelayError `site_untrusted`, `site_answer_unreadable`
   */
  once(request: SiteRequest, lost?: Losses, maxHeldMs?: number): Promise<Outcome>;
}

/** Maximum size of a response; a site without paging returns long lists in one piece. */
const maxBytes = 64 * 1_048_576;

const transientLoss = ({ status, target, retryAfterMs }: HttpAnswer, writes: boolean): Loss => ({
  kind: status === 429 ? 'throttled' : 'lost',
  target,
  reason: `HTTP ${status}`,
  retryAfterMs,
  ambiguous: writes && status !== 429,
});

/** Creates the sender of single attempts. */
export const createWire = ({ http, base, token, pacer, clock, log, signal }: WireOptions): Wire => {
  const call = async ({ method, json, anonymous = false }: SiteRequest, url: URL): Promise<HttpAnswer> => {
    const started = clock.monotonic();
    const headers = { 'accept-encoding': 'gzip', ...(anonymous ? {} : { authorization: `Bearer ${token}` }) };
    const answer = await http.request({
      method,
      url: url.href,
      headers,
      maxBytes,
      ...(json === undefined ? {} : { json }),
    });
    log.debug({ target: answer.target, status: answer.status, ms: Math.round(clock.monotonic() - started) }, 'asked');
    return answer;
  };

  const attempt = async (request: SiteRequest, url: URL): Promise<Reply | Loss> => {
    const writes = request.method !== 'GET';
    try {
      const answer = await call(request, url);
      return isTransient(answer.status) ? transientLoss(answer, writes) : replyOf(answer, url);
    } catch (error) {
      return failureOf(error, writes);
    }
  };

  return {
    async once(request, lost, maxHeldMs = Infinity) {
      const url = new URL(`${base}${request.path}${searchOf(request)}`);
      const target = `${request.method} ${url.host}${url.pathname}`;
      const came = clock.monotonic();
      const pass = await pacer.enter();
      try {
        if (signal?.aborted) return { reply: null, failure: unsent(target, 'interrupted') };
        if (clock.monotonic() - came > maxHeldMs) return { reply: null, failure: unsent(target, 'held') };
        const outcome = await attempt(request, url);
        if ('status' in outcome) {
          pacer.answered();
          return { reply: outcome, failure: null };
        }
        const { reason, kind } = outcome;
        log.warn({ target, reason }, kind === 'lost' ? 'a request to the site was lost' : 'the site throttles');
        const losses = { since: lost?.since ?? clock.monotonic(), count: (lost?.count ?? 0) + 1 };
        return { reply: null, failure: { ...outcome, losses, final: !pacer.setBack(pass, outcome, losses) } };
      } finally {
        pacer.leave();
      }
    },
  };
};

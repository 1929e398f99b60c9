import type { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { parseExactJson } from '../exact-json.ts';
import { type Failure, failureOf, isTransient, type Loss, refusalOf, unreadable, unsent, unwrap } from './failure.ts';
import type { Losses, Pacer } from './pacer.ts';

/** One request to the site, below `/api/v1.0/`. */
export interface SiteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without a first slash, with a last one. */
  readonly path: string;
  /** Parameters, or the search part of an address that the site gave. */
  readonly query?: Readonly<Record<string, string>> | string;
  readonly json?: unknown;
  /** Sent without the token. */
  readonly anonymous?: boolean;
}

/** The search part of a request's address, with its question mark; empty without parameters. */
const searchOf = ({ query }: SiteRequest): string => {
  if (query === undefined || typeof query === 'string') return query ?? '';
  return `?${new URLSearchParams(query)}`;
};

/** An answer of the site that is final. */
export interface Reply {
  readonly status: number;
  /** `METHOD host/path`. */
  readonly target: string;
  readonly ok: boolean;
  /** The body out of its envelope; undefined when it is empty. @throws RelayError `site_answer_unreadable` when it is no JSON */
  payload(): unknown;
  /** Whether the body holds this phrase, in any case of letters. */
  says(phrase: string): boolean;
  /** The error that a reply which is not `ok` stands for. */
  refusal(): RelayError;
}

/** Makes a reply of an answer to a request to `url`. */
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

/** What requests are sent with. */
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

/** Either a final reply or a failure. */
type Outcome = { readonly reply: Reply; readonly failure: null } | { readonly reply: null; readonly failure: Failure };

/** Single tries, each when the pacer lets it leave. */
export interface Wire {
  /**
   * Sends once. Once the signal is aborted nothing is sent any more.
   * @param lost the earlier tries of the same request that were lost
   * @param maxHeldMs a request that the pacer held back for longer is not sent: `held`
   * @throws RelayError `site_untrusted`, `site_answer_unreadable`
   */
  once(request: SiteRequest, lost?: Losses, maxHeldMs?: number): Promise<Outcome>;
}

/** Long lists come in one piece where a site does not page. */
const maxBytes = 64 * 1_048_576;

const transientLoss = ({ status, target, retryAfterMs }: HttpAnswer, writes: boolean): Loss => ({
  kind: status === 429 ? 'throttled' : 'lost',
  target,
  reason: `HTTP ${status}`,
  retryAfterMs,
  ambiguous: writes && status !== 429,
});

/** Makes the sender of single tries. */
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

import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { type Failure, failureOf, type Loss, unsent } from './failure.ts';
import type { Losses, Pacer } from './pacer.ts';
import { isTransient } from './refusals.ts';
import { type Reply, replyOf, searchOf, type SiteRequest } from './reply.ts';

/** What requests are sent with. */
export interface WireOptions {
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
export type Outcome =
  { readonly reply: Reply; readonly failure: null } | { readonly reply: null; readonly failure: Failure };

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

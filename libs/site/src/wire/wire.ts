import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { failureOf, interruption, type Failure } from './failure.ts';
import type { Gate } from './gate.ts';
import { isTransient } from './refusals.ts';
import { replyOf, type Reply } from './reply.ts';
import { searchOf, type SiteRequest } from './request.ts';

/** A wait before another try, for whoever sits in front of it. */
export interface SiteWait {
  /** `METHOD host/path`. */
  readonly target: string;
  readonly reason: string;
  /** The try that failed, from 1, and how many there are at most. */
  readonly attempt: number;
  readonly attempts: number;
  readonly waitMs: number;
}

/** What requests are sent with. */
export interface WireOptions {
  readonly http: HttpClient;
  /** Ends in `/api/v1.0/`. */
  readonly base: string;
  readonly token: string;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly onWait?: (wait: SiteWait) => void;
  readonly signal?: AbortSignal;
}

/** Either a final reply or a failure that allows another try. */
export type Outcome =
  { readonly reply: Reply; readonly failure: null } | { readonly reply: null; readonly failure: Failure };

/** Single tries and the waits between them. */
export interface Wire {
  /** Once the signal is aborted nothing is sent any more. @throws RelayError `site_untrusted`, `site_answer_unreadable` */
  once(request: SiteRequest): Promise<Outcome>;
  /** Waits after the failed try number `attempt`: as long as the site asks, else 1, 2, 4 s. */
  pause(failure: Failure, attempt: number): Promise<void>;
}

/** Most tries of one request (site contract, 1, retry). */
export const mostAttempts = 4;

/** Long lists come in one piece where a site does not page. */
const maxBytes = 64 * 1_048_576;

const transientFailure = ({ status, target, retryAfterMs }: HttpAnswer, writes: boolean): Failure => ({
  kind: status === 429 ? 'throttled' : 'lost',
  target,
  reason: `HTTP ${status}`,
  retryAfterMs,
  ambiguous: writes && status !== 429,
  final: false,
});

/** Makes the sender of single tries; at most as many as the gate has places are under way. */
export const createWire = ({ http, base, token, gate, clock, log, onWait, signal }: WireOptions): Wire => {
  const call = async (request: SiteRequest, url: URL): Promise<HttpAnswer> => {
    const started = clock.monotonic();
    const { method, json, anonymous = false } = request;
    const headers = anonymous ? {} : { authorization: `Bearer ${token}` };
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

  return {
    async once(request) {
      const url = new URL(`${base}${request.path}${searchOf(request)}`);
      const writes = request.method !== 'GET';
      try {
        const answer = await gate.run(() => (signal?.aborted ? null : call(request, url)));
        if (!answer) return { reply: null, failure: interruption(`${request.method} ${url.host}${url.pathname}`) };
        if (isTransient(answer.status)) return { reply: null, failure: transientFailure(answer, writes) };
        return { reply: replyOf(answer, url), failure: null };
      } catch (error) {
        const failure = failureOf(error, writes);
        log.warn({ target: failure.target, reason: failure.reason }, 'a request to the site got no answer');
        return { reply: null, failure };
      }
    },
    async pause({ target, reason, retryAfterMs }, attempt) {
      const waitMs = retryAfterMs ?? 1_000 * 2 ** (attempt - 1);
      log.warn({ target, reason, attempt, waitMs }, 'waiting before another try');
      onWait?.({ target, reason, attempt, attempts: mostAttempts, waitMs });
      // An interrupt ends the wait; the next try then says so.
      await clock.sleep(waitMs, signal).catch(() => undefined);
    },
  };
};

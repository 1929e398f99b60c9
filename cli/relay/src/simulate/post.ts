import { type RelayError, toRelayError } from '@ranger-relay/errors';
import { type Clock, delayFor, pause, type Random } from '@ranger-relay/runtime';
import { openClient } from '../actions/http.ts';
import type { Counting } from './tally.ts';

/** Dependencies of delivering. */
export interface DeliverDependencies {
  readonly post: Post;
  readonly counting: Counting;
  readonly clock: Clock;
  readonly random: Random;
  /** Nothing more is sent once it is aborted. */
  readonly signal: AbortSignal;
}

const backoff = { baseMs: 500, maxMs: 10_000, jitterMs: 250 };

/** Statuses after which the same body would fail again: the request is wrong. */
const isFinal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;

/**
 * Posts a body until it is acknowledged, permanently refused, or the signal is aborted; only 200 acknowledges (device contract, vendor
 * webhook). Resolves with whether it was.
 */
export const deliver = async (body: string, parts: DeliverDependencies): Promise<boolean> => {
  const { post, counting, clock, random, signal } = parts;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (attempt > 0) counting.retried();
    const start = clock.monotonic();
    const answer = await post(body, signal);
    if (answer.status === null && signal.aborted) return false;
    counting.answered(answer, clock.monotonic() - start);
    if (answer.status === 200) return true;
    if (isFinal(answer.status)) return false;
    const asked = answer.status === null ? undefined : answer.retryAfterMs;
    await pause(clock, asked ?? delayFor(backoff, attempt, random), signal);
  }
  return false;
};

/** Response to one POST: a status with a body, or the reason why there is none. */
export type PostAnswer =
  | { readonly status: number; readonly body: string; readonly retryAfterMs: number | undefined }
  | { readonly status: null; readonly reason: string };

/** Sends one body; never rejects. */
export type Post = (body: string, signal: AbortSignal) => Promise<PostAnswer>;

/** Posts with its connections. */
export interface Poster {
  readonly post: Post;
  close(): void;
}

/** Target and identification of POSTs. */
export interface PosterOptions {
  readonly url: string;
  readonly token: string;
  /** Sent as `X-Integration-Id`; left out when the address names it. */
  readonly integration?: string | undefined;
  readonly connections: number;
  readonly clock: Clock;
}

const totalMs = 30_000;
const maxBytes = 1_048_576;

const reasonOf = (error: RelayError): string => String(error.details['reason'] ?? error.code);

/** Makes a poster as the vendor posts: its token header, kept connections, no redirects. */
export const createPoster = ({ url, token, integration, connections, clock }: PosterOptions): Poster => {
  const http = openClient(clock, 'webhook', connections);
  const headers = {
    'content-type': 'application/json',
    'x-outbound-auth-token': token,
    ...(integration === undefined ? {} : { 'x-integration-id': integration }),
  };
  return {
    async post(body, signal) {
      try {
        const answer = await http.request({
          method: 'POST',
          url,
          headers,
          body,
          totalMs,
          connectMs: totalMs,
          maxBytes,
          signal,
        });
        const { status, retryAfterMs } = answer;
        return { status, body: Buffer.from(answer.body).toString(), retryAfterMs };
      } catch (error) {
        return { status: null, reason: reasonOf(toRelayError(error)) };
      }
    },
    close: http.close,
  };
};

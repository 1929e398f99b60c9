import { Agent, request as httpRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { type Clock, delayFor, parseRetryAfter, pause, type Random } from '@ranger-relay/runtime';
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
  readonly timeoutMs?: number;
}

const maxAnswerBytes = 1_048_576;

const reasonOf = (error: Error & { code?: string }): string => error.code ?? error.name;

/** Makes a poster as the vendor posts: its token header, kept connections, no redirects. */
export const createPoster = (options: PosterOptions): Poster => {
  const { token, integration, connections, clock, timeoutMs = 30_000 } = options;
  const url = new URL(options.url);
  const secure = url.protocol === 'https:';
  const agent = secure
    ? new SecureAgent({ keepAlive: true, maxSockets: connections })
    : new Agent({ keepAlive: true, maxSockets: connections });
  const send = secure ? secureRequest : httpRequest;
  const fixed = {
    'content-type': 'application/json',
    'x-outbound-auth-token': token,
    ...(integration === undefined ? {} : { 'x-integration-id': integration }),
  };

  const post: Post = (body, signal) =>
    new Promise((resolve) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const fail = (error: Error): void => resolve({ status: null, reason: reasonOf(error) });
      const headers = { ...fixed, 'content-length': Buffer.byteLength(body) };
      const call = send(url, { method: 'POST', agent, headers, signal: limit }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text = text.length < maxAnswerBytes ? text + part : text));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: text,
            retryAfterMs: parseRetryAfter(answer.headers['retry-after'], clock),
          }),
        );
        answer.on('error', fail);
      });
      call.on('error', fail);
      call.end(body);
    });

  return { post, close: () => agent.destroy() };
};

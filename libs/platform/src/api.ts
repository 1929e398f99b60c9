import type { RelayError } from '@ranger-relay/errors';
import { type Clock, type Random, retry, type RetryPolicy, within } from '@ranger-relay/runtime';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { classify, noAnswer, unavailable, type Verdict, worthAnotherTry } from './classify.ts';
import type { TokenSource } from './token.ts';

/** How long and how often a call is tried. */
export interface Budget extends Required<RetryPolicy> {
  /** From the first try to the last answer, ms. */
  readonly totalMs: number;
  /** Failures that are worth another try; those of the platform when left out. */
  readonly worth?: (error: unknown) => error is RelayError;
  /** What is said when no answer came within the budget; `platform_unavailable` when left out. */
  readonly late?: (reason: string) => RelayError;
}

const backoff = { baseMs: 2_000, maxMs: 30_000, jitterMs: 5_000 };

/** Calls that nobody waits for at a door. */
export const patientBudget: Budget = { tries: 6, totalMs: 120_000, backoff };

/** Calls of the sensors API inside actions. */
export const actionBudget: Budget = { tries: 4, totalMs: 150_000, backoff };

/** Calls that a webhook request waits for. */
export const ingesterBudget: Budget = { tries: 6, totalMs: 3_000, backoff };

/** What a budget is measured with. */
export interface BudgetDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Runs a task until it succeeds, fails for good, or the budget is used up; then rejects with the last error. A try that outlasts the
 * budget is left to itself, so that what it brings is there for the next caller. A Retry-After is honoured when it fits. Once the signal is
 * aborted no further try is made, and it rejects with the signal's reason.
 */
export const withBudget = <T>(
  { worth = worthAnotherTry, late = unavailable, ...policy }: Budget,
  { clock, random }: BudgetDependencies,
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const end = clock.monotonic() + policy.totalMs;
  const onError = (error: unknown, delayMs: number): number | null =>
    worth(error) ? Math.max(delayMs, error.retryAfterMs ?? 0) : null;
  return retry({ ...policy, clock, random, signal, onError }, () => {
    const ms = Math.max(0, end - clock.monotonic());
    return within({ clock, ms }, task(), () => {
      throw late(`no answer within ${Math.round(ms)} ms`);
    });
  });
};

/** A call of the platform API. */
export interface PlatformRequest {
  readonly method: 'GET' | 'POST';
  /** Such as `/v2/integrations/`, with its query. */
  readonly path: string;
  readonly json?: unknown;
}

/** An answer and what it means for a reading call. */
export interface PlatformAnswer {
  readonly verdict: Exclude<Verdict, { readonly kind: 'stale_token' }>;
  readonly answer: HttpAnswer;
}

/**
 * One authorised call; a token that is not taken is renewed once.
 * @throws RelayError of the token or the connection; `platform_unavailable` when a renewed token is not taken either
 */
export type PlatformCall = (request: PlatformRequest) => Promise<PlatformAnswer>;

const callLimits = { connectMs: 3_000, totalMs: 20_000 };

/** Makes the caller of `baseUrl` (without a last slash). */
export const createCall = (baseUrl: string, http: HttpClient, tokens: TokenSource): PlatformCall => {
  const once = async ({ path, ...request }: PlatformRequest): Promise<{ verdict: Verdict; answer: HttpAnswer }> => {
    const token = await tokens.token();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await http.request({ ...request, url: `${baseUrl}${path}`, headers, ...callLimits });
    const verdict = classify(answer);
    if (verdict.kind === 'stale_token') tokens.invalidate(token);
    return { verdict, answer };
  };

  return async (request) => {
    const first = await once(request);
    const { verdict, answer } = first.verdict.kind === 'stale_token' ? await once(request) : first;
    if (verdict.kind === 'stale_token') throw unavailable('a token that was just renewed is refused');
    return { verdict, answer };
  };
};

/** Reads from the platform API. */
export interface PlatformApi {
  /**
   * One authorised GET of a path such as `/v2/integrations/`: its JSON, undefined when the platform says 404. A token that is not taken
   * is renewed once.
   * @throws RelayError `platform_unavailable`, `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`, `http_status` (another 4xx)
   */
  get(path: string): Promise<unknown>;
}

/** Makes the reader of `baseUrl` (without a last slash). */
export const createApi = (baseUrl: string, http: HttpClient, tokens: TokenSource): PlatformApi => {
  const call = createCall(baseUrl, http, tokens);

  const get = async (path: string): Promise<unknown> => {
    const { verdict, answer } = await call({ method: 'GET', path });
    if (verdict.kind === 'ok') return answer.json();
    if (verdict.kind === 'absent') return undefined;
    throw verdict.error;
  };

  return {
    get: (path) =>
      get(path).catch((error: unknown) => {
        throw noAnswer(error);
      }),
  };
};

import type { RelayError } from '@ranger-relay/errors';
import { type Clock, type Random, retry, type RetryPolicy, within } from '@ranger-relay/runtime';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { classify, noAnswer, unavailable, type Verdict, worthAnotherTry } from './classify.ts';
import type { TokenSource } from './token.ts';

/** Time limit and number of attempts of a call. */
export interface Budget extends Required<RetryPolicy> {
  /** Time from the first attempt to the last response, ms. */
  readonly totalMs: number;
  /** Whether a failure is worth a retry; default: failures of the platform. */
  readonly worth?: (error: unknown) => error is RelayError;
  /** The error when there is no response within the budget; default `platform_unavailable`. */
  readonly late?: (reason: string) => RelayError;
}

const backoff = { baseMs: 2_000, maxMs: 30_000, jitterMs: 5_000 };

/** For calls that no HTTP request waits for. */
export const patientBudget: Budget = { tries: 6, totalMs: 120_000, backoff };

/** For calls that a webhook request waits for. */
export const ingesterBudget: Budget = { tries: 6, totalMs: 3_000, backoff };

export interface BudgetDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Runs a task until it succeeds, fails permanently, or exhausts the budget; then rejects with the last error. An attempt that exceeds the budget
 * continues, so that its result is available to the next caller. Waits for a Retry-After that fits into the budget. Aborting the signal rejects
 * with its reason and prevents further attempts.
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
  /** For example `/v2/integrations/`, with its query. */
  readonly path: string;
  readonly json?: unknown;
}

/** A response and its meaning for a read. */
export interface PlatformAnswer {
  readonly verdict: Exclude<Verdict, { readonly kind: 'stale_token' }>;
  readonly answer: HttpAnswer;
}

/**
 * Makes one authorised call; renews a refused token once.
 * @throws RelayError of the token or the connection; `platform_unavailable` when the platform also refuses the renewed token
 */
export type PlatformCall = (request: PlatformRequest) => Promise<PlatformAnswer>;

const callLimits = { connectMs: 3_000, totalMs: 20_000 };

/** Creates the caller of `baseUrl` (without a trailing slash). */
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
   * Makes one authorised GET of a path such as `/v2/integrations/` and returns its JSON; undefined after a 404. Renews a refused token once.
   * @throws RelayError `platform_unavailable`, `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`, `http_status` (another
   *   4xx)
   */
  get(path: string): Promise<unknown>;
}

/** Creates the reader of `baseUrl` (without a trailing slash). */
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

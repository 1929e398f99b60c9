import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient, HttpRequest } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { failureOf, isTransient } from '../wire/failure.ts';
import type { Access } from './access.ts';

/** One authorised GET request. */
interface Question {
  /** Address on the site's own origin. */
  readonly url: string;
  readonly maxBytes: number;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends authorised GET requests; returns responses of any final status except 401. */
export type Ask = (question: Question) => Promise<HttpAnswer>;

/**
 * Creates the sender. If the site rejects a token, the sender renews it and repeats the request once.
 * @throws RelayError `site_credentials_refused`, `site_unavailable`
 */
export const createAsk =
  (parts: TryDependencies, access: Access): Ask =>
  async ({ url, maxBytes, accept = 'application/json', signal }) => {
    const askWith = (token: string): Promise<HttpAnswer> =>
      tryUntilAnswered(parts, {
        method: 'GET',
        url,
        maxBytes,
        headers: { authorization: `Bearer ${token}`, accept },
        ...(signal ? { signal } : {}),
      });
    const token = await access.token();
    const answer = await askWith(token);
    if (answer.status !== 401) return answer;
    const again = access.renew(token) ? await askWith(await access.token()) : answer;
    if (again.status !== 401) return again;
    throw new RelayError('site_credentials_refused', { details: { target: again.target } });
  };

/** The dependencies of sending requests. */
export interface TryDependencies {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
}

/** A failed attempt that may be repeated. */
interface Lost {
  readonly target: string;
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
  /** An immediate retry cannot help. */
  readonly final?: boolean;
}

const maxTries = 4;
const limits = { connectMs: 10_000, totalMs: 60_000 };
/** If the site asks for a longer wait, a later run retries. */
const maxWaitMs = 60_000;

const unavailable = ({ target, reason, retryAfterMs }: Lost, tries: number): RelayError =>
  new RelayError('site_unavailable', {
    details: { target, reason, tries },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

/**
 * Treats an untrusted certificate as unavailability, because the operator can renew it: a run that waits loses no data, a run that skips
 * the site would.
 */
const lostBy = (error: unknown): Lost => {
  if (isRelayError(error, 'http_body_too_large')) throw error;
  try {
    return failureOf(error, false);
  } catch (known) {
    if (!isRelayError(known, 'site_untrusted')) throw known;
    const { target, reason } = known.details;
    return { target: String(target), reason: `the certificate is not trusted: ${String(reason)}`, final: true };
  }
};

/** Statuses of the site after which a retry can help, later or immediately. */
const lostIn = ({ status, target, retryAfterMs }: HttpAnswer): Lost | undefined => {
  const reason = `HTTP ${status}`;
  if (isTransient(status)) return { target, reason, retryAfterMs, final: (retryAfterMs ?? 0) > maxWaitMs };
  return status >= 500 || status === 408 ? { target, reason, retryAfterMs, final: true } : undefined;
};

const tryOnce = async ({ http, clock, log }: TryDependencies, request: HttpRequest): Promise<HttpAnswer | Lost> => {
  const started = clock.monotonic();
  try {
    const answer = await http.request({ ...limits, ...request });
    const { target, status } = answer;
    log.debug({ target, status, ms: Math.round(clock.monotonic() - started) }, 'asked the site');
    return lostIn(answer) ?? answer;
  } catch (error) {
    request.signal?.throwIfAborted();
    return lostBy(error);
  }
};

/**
 * Sends a request until there is a final response: up to four attempts, 1, 2 and 4 s apart or as the site asks (platform contract, retry
 * budgets).
 * @throws RelayError `site_unavailable`, `http_body_too_large`, and addresses that are not allowed; the signal's reason once it is aborted
 */
export const tryUntilAnswered = async (parts: TryDependencies, request: HttpRequest): Promise<HttpAnswer> => {
  const { clock, log } = parts;
  for (let attempt = 1; ; attempt += 1) {
    request.signal?.throwIfAborted();
    const found = await tryOnce(parts, request);
    if ('status' in found) return found;
    const { target, reason, retryAfterMs, final = false } = found;
    if (final || attempt === maxTries) throw unavailable(found, attempt);
    const waitMs = retryAfterMs ?? 1_000 * 2 ** (attempt - 1);
    log.warn({ target, reason, attempt, waitMs }, 'the site gave no usable answer; waiting before another try');
    await clock.sleep(waitMs, request.signal);
  }
};

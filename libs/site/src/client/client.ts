import { parseExactJson, type RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { type Clock, type Logger, parseHttpDate } from '@ranger-relay/runtime';
import type { SiteAddress } from '../address.ts';
import * as failures from './failure.ts';
import type { Loss, Losses } from './failure.ts';

/** One request to the site. */
export interface SiteRequest {
  readonly method: 'GET' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1.0/`; with a leading slash, below the address of the site. */
  readonly path: string;
  /** Parameters, or the query part of an address that the site returned. */
  readonly query?: Readonly<Record<string, string>> | string;
  readonly json?: unknown;
  /** A form requests a token. It changes nothing at the site. */
  readonly form?: Readonly<Record<string, string>>;
  /** Whether the request is sent without the token. */
  readonly anonymous?: boolean;
  /** Maximum size of the response, if it is a file. */
  readonly maxFileBytes?: number;
  /** When aborted, the request ends, no other is sent, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A final response of the site. */
export interface Reply {
  readonly status: number;
  /** `METHOD host/path`. */
  readonly target: string;
  readonly ok: boolean;
  readonly body: Uint8Array;
  /** The methods that the site has at the path, when it says; for OPTIONS. */
  readonly allow: string | undefined;
  /** The site's clock at the time of the response, ms since 1970; undefined when the response does not contain it. */
  readonly siteTime: number | undefined;
  /** Whether an earlier attempt of the same request may have been carried out. */
  readonly repeated: boolean;
  /** Returns the body without its envelope; undefined when it is empty. @throws RelayError `site_answer_unreadable` when it is not JSON */
  payload(): unknown;
  /** Whether the body contains this phrase, ignoring case. */
  says(phrase: string): boolean;
  /** The error of a response that is not `ok`. */
  refusal(): RelayError;
  /** Whether a refusal has the form of the site's API, and so is none of a gateway in front of it. */
  isOwnRefusal(): boolean;
}

const replyOf = (answer: HttpAnswer, url: URL, repeated: boolean): Reply => {
  const { status, target, body } = answer;
  return {
    status,
    target,
    body,
    repeated,
    allow: answer.headers['allow'],
    ok: status >= 200 && status < 300,
    siteTime: parseHttpDate(answer.headers['date']),
    payload() {
      if (body.length === 0) return undefined;
      try {
        return failures.unwrap(parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
      } catch {
        throw failures.unreadable(target, `status ${status} with ${body.length} bytes that are no JSON`);
      }
    },
    says: (phrase) => new TextDecoder().decode(body).toLowerCase().includes(phrase.toLowerCase()),
    refusal: () => failures.refusalOf(answer, url),
    isOwnRefusal: () => failures.isOwnRefusal(answer),
  };
};

/** Provides the token for requests. */
export interface Access {
  token(): Promise<string>;
  /** Reports that the site rejected this token. Returns true when another token can be requested. */
  renew(token: string): boolean;
}

/** The access with a token that cannot be renewed. */
export const fixedToken = (token: string): Access => ({ token: () => Promise.resolve(token), renew: () => false });

/** An attempt that may be sent. */
export interface Permit {
  /** Number of pauses before the attempt was sent. */
  readonly pauses: number;
}

/** When attempts are sent and which of them are repeated. The callers of a site differ in this alone. */
export interface RetryPolicy {
  /** Whether 408, other 5xx and an untrusted certificate count as an outage instead of a refusal. */
  readonly faultsAreOutages: boolean;
  /** Runs an attempt as soon as it may be sent. */
  run<T>(attempt: (permit: Permit) => Promise<T>): Promise<T>;
  /** Reports a response of the site. */
  answered(): void;
  /**
   * Waits after a loss, or has the next attempt wait.
   * @param losses those of the same request, including this one
   * @param tries attempts of the same request so far, throttled ones included
   * @returns whether another attempt may follow
   * @throws the reason of the signal once it is aborted
   */
  onLoss(permit: Permit, loss: Loss, losses: Losses, tries: number, signal?: AbortSignal): boolean | Promise<boolean>;
}

/** The dependencies and limits of a client. */
export interface ClientOptions {
  readonly http: HttpClient;
  readonly address: Pick<SiteAddress, 'origin' | 'base'>;
  /** Without it, every request is anonymous. */
  readonly access?: Access;
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Maximum size of a response; a site without paging returns long lists in one piece. */
  readonly maxBytes: number;
  /** Limits of one attempt, ms; default: those of `http`. */
  readonly limits?: { readonly connectMs: number; readonly totalMs: number };
  readonly headers?: Readonly<Record<string, string>>;
  /** When aborted, no further request is sent; those in progress end, so that their outcome is known. */
  readonly signal?: AbortSignal | undefined;
}

/** How to check the site again between attempts. */
export interface Look<T> {
  /** Called after an attempt that may have been carried out, and before one whose reading is outdated. A result replaces the response. */
  readonly again: (target: string, ambiguous: boolean) => Promise<T | undefined>;
  /** How old the last reading may be when the request is sent, ms. `at`: when the caller took it, monotonic ms; default now. */
  readonly reading?: { readonly at: number | undefined; readonly maxAgeMs: number };
  /** Whether the caller has read something since that speaks against the request; it is then not sent, as one whose reading is too old. */
  readonly isOutdated?: () => boolean;
}

/** Sends requests to one site. */
export interface SiteClient {
  /**
   * Sends a request until there is a final response, for as long as the policy allows. If the site rejects a token that can be renewed, the
   * request is sent once more with another one.
   * @throws RelayError `site_unavailable`, `site_untrusted`, `site_answer_unreadable`, `site_file_too_large`, and what the functions throw
   */
  exchange<T>(request: SiteRequest, onReply: (reply: Reply) => T | Promise<T>, look?: Look<T>): Promise<T>;
}

/** Maximum checks before one request is sent: a site that accepts one request at a time would hold back every request behind a check. */
const maxStale = 3;
/** A look that took longer than its reading may be old is used for this long, ms. */
const slackMs = 1_000;

const searchOf = ({ query = '' }: SiteRequest): string => {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return text === '' || text.startsWith('?') ? text : `?${text}`;
};

/** The state of the attempts of one request. */
interface Attempts {
  /** Attempts so far, including the next one. */
  readonly tries: number;
  readonly token: string | undefined;
  readonly repeated: boolean;
  readonly losses: Losses | undefined;
  /** Whether the reading behind the request is outdated, so that it is not sent. */
  readonly isStale: () => boolean;
}

const urlOf = ({ origin, base }: ClientOptions['address'], request: SiteRequest): URL =>
  new URL(`${request.path.startsWith('/') ? origin : base}${request.path}${searchOf(request)}`);

const call = async (options: ClientOptions, request: SiteRequest, url: URL, token?: string): Promise<HttpAnswer> => {
  const { http, clock, log, limits, maxBytes, headers } = options;
  const { method, json, form, maxFileBytes, signal } = request;
  const started = clock.monotonic();
  const answer = await http.request({
    ...limits,
    method,
    url: url.href,
    maxBytes: maxFileBytes ?? maxBytes,
    headers: {
      ...headers,
      ...(maxFileBytes === undefined ? {} : { accept: '*/*' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(json === undefined ? {} : { json }),
    ...(form === undefined ? {} : { form }),
    ...(signal === undefined ? {} : { signal }),
  });
  const { target, status } = answer;
  log.debug({ target, status, ms: Math.round(clock.monotonic() - started) }, 'asked the site');
  return answer;
};

const attempt = async (
  options: ClientOptions,
  request: SiteRequest,
  url: URL,
  { token, repeated }: Attempts,
): Promise<Reply | Loss> => {
  const { method, form, maxFileBytes, signal } = request;
  const kind = {
    writes: method !== 'GET' && method !== 'OPTIONS' && form === undefined,
    faultsAreOutages: options.policy.faultsAreOutages,
    file: maxFileBytes !== undefined,
  };
  try {
    const answer = await call(options, request, url, token);
    return failures.lossIn(answer, kind) ?? replyOf(answer, url, repeated);
  } catch (error) {
    signal?.throwIfAborted();
    return failures.lossOf(error, kind);
  }
};

/** Sends a request once, when the policy permits it. */
const once = (options: ClientOptions, request: SiteRequest, attempts: Attempts): Promise<Reply | failures.Failure> => {
  const { address, policy, clock, log, signal } = options;
  const url = urlOf(address, request);
  const target = `${request.method} ${url.host}${url.pathname}`;
  const { tries, losses: lost, isStale } = attempts;
  return policy.run(async (permit) => {
    request.signal?.throwIfAborted();
    if (signal?.aborted) return failures.unsent(target, 'interrupted');
    if (isStale()) return failures.unsent(target, 'stale');
    const outcome = await attempt(options, request, url, attempts);
    if ('status' in outcome) {
      policy.answered();
      return outcome;
    }
    const losses = { since: lost?.since ?? clock.monotonic(), count: (lost?.count ?? 0) + 1 };
    const { reason, retryAfterMs } = outcome;
    log.warn({ target, reason, retryAfterMs, tries }, 'the site gave no usable answer');
    const final = !(await policy.onLoss(permit, outcome, losses, tries, request.signal));
    return { ...outcome, losses, final };
  });
};

/** Creates the client; sends nothing before the first call. */
export const createClient = (options: ClientOptions): SiteClient => ({
  async exchange(request, onReply, look) {
    const { clock } = options;
    const access = request.anonymous ? undefined : options.access;
    let [repeated, renewed, stale] = [false, false, 0];
    const { at = clock.monotonic(), maxAgeMs = Infinity } = look?.reading ?? {};
    let validUntil = at + maxAgeMs;
    let losses: Losses | undefined;
    for (let tries = 1; ; tries += 1) {
      const token = await access?.token();
      const staleAt = stale < maxStale ? validUntil : Infinity;
      const isStale = (): boolean => clock.monotonic() > staleAt || look?.isOutdated?.() === true;
      const outcome = await once(options, request, { tries, token, repeated, losses, isStale });
      if ('status' in outcome) {
        const isExpired = outcome.status === 401 && !renewed && access?.renew(String(token)) === true;
        if (!isExpired) return onReply(outcome);
        [renewed, losses, tries] = [true, undefined, 0];
        continue;
      }
      repeated ||= outcome.ambiguous;
      if (outcome.kind === 'lost') losses = outcome.losses;
      stale = outcome.kind === 'stale' ? stale + 1 : 0;
      if (outcome.ambiguous || outcome.kind === 'stale') {
        const lookedAt = clock.monotonic();
        const found = await look?.again(outcome.target, repeated);
        if (found !== undefined) return found;
        validUntil = Math.max(lookedAt + maxAgeMs, clock.monotonic() + slackMs);
      }
      if (outcome.final) throw failures.unavailable(outcome, tries, repeated);
    }
  },
});

/** Returns the response when it is successful or its status is in `also`. @throws RelayError its refusal */
export const accepted = (reply: Reply, also: readonly number[]): Reply => {
  if (reply.ok || also.includes(reply.status)) return reply;
  // An earlier attempt without a response may have been carried out before this one was refused.
  throw reply.repeated ? failures.withAmbiguity(reply.refusal(), true) : reply.refusal();
};

/**
 * Sends an idempotent request, a read or a write. Statuses in `also` are returned instead of thrown.
 * @throws RelayError the codes of {@link SiteClient.exchange}, and refusals
 */
export const send = (client: SiteClient, request: SiteRequest, also: readonly number[] = []): Promise<Reply> =>
  client.exchange(request, (reply) => accepted(reply, also));

/**
 * Sends a write whose response only confirms it: an empty body or any JSON (a deletion returns 204, or 200 with an envelope).
 * @throws RelayError as {@link send}; `site_answer_unreadable` when another system responds instead of the site
 */
export const write = async (client: SiteClient, request: SiteRequest, also: readonly number[] = []): Promise<Reply> => {
  const reply = await send(client, request, also);
  if (reply.ok) reply.payload();
  return reply;
};

import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';

/** What fails now, of many things that fail and recover alone: one line in the log when the first fails, one when all are well. */
export interface FailureTracker {
  failed(key: string, problem: string): void;
  succeeded(key: string): void;
  /** What failed lately, for people; null when nothing did. */
  current(): string | null;
}

/**
 * A failure that was not repeated for so long is no longer news: else a process that is not ready, and so gets no work, stays so. A request
 * that is repeated fails again within 2.6 s, also when its broker hangs.
 */
const freshMs = 3_500;

/** Makes the memory of one kind of work. `worse` and `better` are its lines. */
export const createFailureTracker = (clock: Clock, log: Logger, worse: string, better: string): FailureTracker => {
  const failures = new Map<string, { readonly problem: string; readonly at: number }>();
  let told = false;

  const drop = (): void => {
    const old = clock.monotonic() - freshMs;
    for (const [key, { at }] of failures) if (at <= old) failures.delete(key);
  };

  return {
    failed(key, problem) {
      drop();
      failures.set(key, { problem, at: clock.monotonic() });
      if (!told) log.warn({ problem }, worse);
      told = true;
    },
    succeeded(key) {
      if (!told) return;
      failures.delete(key);
      drop();
      if (failures.size > 0) return;
      log.info({}, better);
      told = false;
    },
    current() {
      drop();
      return [...failures.values()].at(-1)?.problem ?? null;
    },
  };
};

/** What the library's errors say, without its types. */
interface Problem {
  /** Name of the protocol's error, as UNKNOWN_TOPIC_OR_PARTITION; empty for others. */
  readonly type: string;
  readonly message: string;
}

/** Errors come wrapped in counts of retries; the innermost one says what happened. */
const innermost = (error: unknown): unknown => {
  let inner = error;
  for (let depth = 0; depth < 5; depth += 1) {
    const cause = (inner as { cause?: unknown } | null)?.cause;
    if (!(cause instanceof Error)) return inner;
    inner = cause;
  }
  return inner;
};

/** What to look at, where the library's words say too little. Brokers that want TLS or a login close a connection without a word. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/authentication failed/i, 'check KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'],
  [/certificate|altname/i, 'check KAFKA_TLS_CA_FILE'],
  [/^Closed connection/, 'if this persists, check KAFKA_TLS and KAFKA_SASL_MECHANISM'],
];

const hinted = (message: string, broker: unknown): string => {
  const where = typeof broker === 'string' && !message.includes(broker) ? `${message} (broker ${broker})` : message;
  const hint = hints.find(([pattern]) => pattern.test(message))?.[1];
  return hint === undefined ? where : `${where}; ${hint}`;
};

/** Reads any thrown value of the library. The message names the broker, where the error is about one. */
export const problemOf = (error: unknown): Problem => {
  const inner = innermost(error) as { type?: unknown; message?: unknown; broker?: unknown } | null;
  const type = typeof inner?.type === 'string' ? inner.type : '';
  const message = typeof inner?.message === 'string' ? inner.message : String(error);
  return { type, message: hinted(message, inner?.broker) };
};

/** Trying again can help. */
export const isRetriable = (error: unknown): boolean =>
  (innermost(error) as { retriable?: unknown } | null)?.retriable === true;

/** The brokers do not know the topic. */
export const isUnknownTopic = (error: unknown): boolean => problemOf(error).type === 'UNKNOWN_TOPIC_OR_PARTITION';

const refusals = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION', 'TOPIC_AUTHORIZATION_FAILED']);

/** The brokers refuse one topic: the others are well. */
export const isTopicRefused = (error: unknown): boolean => refusals.has(problemOf(error).type);

/** Any failure of the brokers as the port's error. */
export const unavailable = (error: unknown, ambiguous = false): RelayError =>
  error instanceof RelayError
    ? error
    : new RelayError('bus_unavailable', { details: { reason: problemOf(error).message }, cause: error, ambiguous });

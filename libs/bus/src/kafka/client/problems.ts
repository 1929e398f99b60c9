import { RelayError } from '@ranger-relay/errors';
import type { Clock, Logger } from '@ranger-relay/runtime';

/**
 * Tracks failures of partitions and of the brokers as a whole, and logs two lines: one when the first of them fails, one when all work again.
 */
export interface FailureTracker {
  /** @param key `<topic> <partition>`, or '' for the brokers as a whole */
  failed(key: string, problem: string): void;
  succeeded(key: string): void;
  /** The latest failure of each topic, as a text for operators; that of the brokers as a whole has the name ''. */
  byTopic(): ReadonlyMap<string, string>;
}

/**
 * A failure that is not repeated within this time counts as over, ms: otherwise a process that is not ready, and so
 * receives no work, would never become ready. A repeated request fails again within 2.6 s, even when its broker hangs.
 */
const freshMs = 3_500;

/**
 * Creates the tracker of one kind of work.
 * @param degradedMessage log line of the first failure
 * @param recoveredMessage log line of the recovery
 */
export const createFailureTracker = (
  clock: Clock,
  log: Logger,
  degradedMessage: string,
  recoveredMessage: string,
): FailureTracker => {
  const failures = new Map<string, { readonly problem: string; readonly at: number }>();
  let degraded = false;

  const drop = (): void => {
    const old = clock.monotonic() - freshMs;
    for (const [key, { at }] of failures) if (at <= old) failures.delete(key);
  };

  return {
    failed(key, problem) {
      drop();
      failures.set(key, { problem, at: clock.monotonic() });
      if (!degraded) log.warn({ problem }, degradedMessage);
      degraded = true;
    },
    succeeded(key) {
      if (!degraded) return;
      failures.delete(key);
      drop();
      if (failures.size > 0) return;
      log.info({}, recoveredMessage);
      degraded = false;
    },
    byTopic() {
      drop();
      return new Map([...failures].map(([key, { problem }]) => [key.split(' ', 1)[0] ?? '', problem]));
    },
  };
};

/** An error of the library, without its types. */
interface Problem {
  /** Name of the protocol error, for example UNKNOWN_TOPIC_OR_PARTITION; empty for other errors. */
  readonly type: string;
  readonly message: string;
}

/** The library wraps errors in errors about retries; the innermost one has the cause. */
const innermost = (error: unknown): unknown => {
  let inner = error;
  for (let depth = 0; depth < 5; depth += 1) {
    const cause = (inner as { cause?: unknown } | null)?.cause;
    if (!(cause instanceof Error)) return inner;
    inner = cause;
  }
  return inner;
};

/** Hints for errors whose text is too general. A broker that requires TLS or a login closes the connection without a message. */
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

/** Reads any value that the library throws. The message names the broker if the error concerns one. */
export const problemOf = (error: unknown): Problem => {
  const inner = innermost(error) as { type?: unknown; message?: unknown; broker?: unknown } | null;
  const type = typeof inner?.type === 'string' ? inner.type : '';
  const message = typeof inner?.message === 'string' ? inner.message : String(error);
  return { type, message: hinted(message, inner?.broker) };
};

/** Whether a retry can succeed. */
export const isRetriable = (error: unknown): boolean =>
  (innermost(error) as { retriable?: unknown } | null)?.retriable === true;

const refusals = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION', 'TOPIC_AUTHORIZATION_FAILED']);

/** Whether the brokers refuse a single topic; the others are not affected. */
export const isTopicRefused = (error: unknown): boolean => refusals.has(problemOf(error).type);

/** Converts any failure of the brokers to the error of the port. */
export const unavailable = (error: unknown, ambiguous = false): RelayError =>
  error instanceof RelayError
    ? error
    : new RelayError('bus_unavailable', { details: { reason: problemOf(error).message }, cause: error, ambiguous });

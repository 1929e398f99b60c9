import { ActionFailure, type ErrorType, failureText, titleOf } from '@ranger-relay/actions';
import type { ErrorCode, RelayError } from '@ranger-relay/errors';

/** Title of a failure for people, and its `error_type` of the platform contract, section 4. */
interface FailureKind {
  readonly title: string;
  readonly errorType: ErrorType | null;
}

const typed = (errorType: ErrorType): FailureKind => ({ title: titleOf(errorType), errorType });
const configuration: FailureKind = { title: 'Configuration error', errorType: null };
const message: FailureKind = { title: 'Invalid message', errorType: null };
const other: FailureKind = { title: 'Not sent', errorType: null };

const kinds: Readonly<Partial<Record<ErrorCode, FailureKind>>> = {
  vendor_auth_refused: typed('auth'),
  vendor_unreachable: typed('connectivity'),
  vendor_answer_lost: typed('timeout'),
  vendor_throttled: typed('rate_limit'),
  vendor_internal: typed('bad_response'),
  vendor_refused: typed('bad_response'),
  vendor_web_page: typed('bad_response'),
  vendor_address_invalid: configuration,
  http_address_refused: configuration,
  http_scheme_refused: configuration,
  push_unconfigured: configuration,
  text_invalid: message,
  push_data_invalid: message,
};

/** The kind of a failure. */
export const failureKind = ({ code }: Pick<RelayError, 'code'>): FailureKind => kinds[code] ?? other;

/** A failure with the facts of the call that caused it. */
export interface Failure {
  readonly error: RelayError;
  readonly status: number | null;
  /** The part of the answer's body that may be shown. */
  readonly body: string;
  readonly url: string | undefined;
}

/** Facts that are reported with a failed run. */
export interface Told {
  /** Whether a retry can help. */
  readonly transient: boolean;
  /** Identifies the texts; never contains their content. */
  readonly deliveryId: string;
  readonly recipients: readonly string[];
  /** Answer to the caller when the push is final. */
  readonly result?: unknown;
  /** Whether dead letters are stored. */
  readonly deadLettered: boolean;
}

/** The failure as one sentence. */
export const failureSentence = ({ error, status }: Pick<Failure, 'error' | 'status'>): string =>
  failureText({ title: failureKind(error).title, message: error.message, status: status ?? undefined });

/** The failure of a run as the action runtime expects it, which turns it into one Failed event (platform contract, section 2). */
export const actionFailureOf = (
  { error, status, body, url }: Failure,
  { transient, deliveryId, recipients, result, deadLettered }: Told,
): ActionFailure => {
  const { title, errorType } = failureKind(error);
  return new ActionFailure(error.message, {
    transient,
    title,
    deadLettered,
    cause: error,
    request: { ...(url === undefined ? {} : { verb: 'POST', url }), data: { delivery_id: deliveryId, recipients } },
    ...(errorType === null ? {} : { type: errorType }),
    ...(status === null ? {} : { response: { status, body } }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(result === undefined ? {} : { result }),
  });
};

import { ActionFailure } from '@ranger-relay/actions';
import type { ErrorCode, RelayError } from '@ranger-relay/errors';

/** How a failure is called in front of people, and `error_type` of the platform contract, section 4. */
interface FailureKind {
  readonly title: string;
  readonly errorType: 'auth' | 'connectivity' | 'timeout' | 'rate_limit' | 'bad_response' | null;
}

const configuration: FailureKind = { title: 'Configuration error', errorType: null };
const message: FailureKind = { title: 'Invalid message', errorType: null };
const other: FailureKind = { title: 'Not sent', errorType: null };

const kinds: Readonly<Partial<Record<ErrorCode, FailureKind>>> = {
  vendor_auth_refused: { title: 'Authentication error', errorType: 'auth' },
  vendor_unreachable: { title: 'Service unreachable', errorType: 'connectivity' },
  vendor_answer_lost: { title: 'No answer', errorType: 'timeout' },
  vendor_throttled: { title: 'Too many requests', errorType: 'rate_limit' },
  vendor_internal: { title: 'Internal error', errorType: 'bad_response' },
  vendor_refused: { title: 'Refused', errorType: 'bad_response' },
  vendor_address_invalid: configuration,
  http_address_refused: configuration,
  http_scheme_refused: configuration,
  push_unconfigured: configuration,
  text_invalid: message,
  push_data_invalid: message,
};

/** The kind of a failure. */
export const failureKind = ({ code }: Pick<RelayError, 'code'>): FailureKind => kinds[code] ?? other;

/** A failure with what is known of the call it comes from. */
export interface Failure {
  readonly error: RelayError;
  readonly status: number | null;
  /** What may be shown of the answer's body. */
  readonly body: string;
  readonly url: string | undefined;
}

/** What is told about a failed run beside the failure itself. */
export interface Told {
  /** A repeat can help. */
  readonly transient: boolean;
  /** Which texts; never what they say. */
  readonly deliveryId: string;
  readonly recipients: readonly string[];
  /** Answers a caller whose push is done with. */
  readonly result?: unknown;
  /** Dead letters are stored. */
  readonly deadLettered: boolean;
}

/** `<title> - <message> (HTTP <status>)`. */
export const failureSentence = ({ error, status }: Pick<Failure, 'error' | 'status'>): string =>
  `${failureKind(error).title} - ${error.message}${status === null ? '' : ` (HTTP ${status})`}`;

/** The failure of a run as the action runtime takes it: one Failed event is made of it (platform contract, section 2). */
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

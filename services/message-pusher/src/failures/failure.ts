import { ActionFailure } from '@ranger-relay/actions';
import type { RelayError } from '@ranger-relay/errors';
import { failureKind } from './kinds.ts';

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
  readonly buried: boolean;
}

/** `<title> - <message> (HTTP <status>)`. */
export const failureSentence = ({ error, status }: Pick<Failure, 'error' | 'status'>): string =>
  `${failureKind(error).title} - ${error.message}${status === null ? '' : ` (HTTP ${status})`}`;

/** The failure of a run as the action runtime takes it: one Failed event is made of it (platform contract, section 2). */
export const actionFailureOf = (
  { error, status, body, url }: Failure,
  { transient, deliveryId, recipients, result, buried }: Told,
): ActionFailure => {
  const { title, errorType } = failureKind(error);
  return new ActionFailure(error.message, {
    transient,
    title,
    buried,
    cause: error,
    request: { ...(url === undefined ? {} : { verb: 'POST', url }), data: { delivery_id: deliveryId, recipients } },
    ...(errorType === null ? {} : { type: errorType }),
    ...(status === null ? {} : { response: { status, body } }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(result === undefined ? {} : { result }),
  });
};

import type { RelayError } from '@ranger-relay/errors';
import { failureKind, type FailureKind } from './kinds.ts';

/** A failure with what is known of the call it comes from. */
export interface Failure {
  readonly error: RelayError;
  readonly status: number | null;
  /** What may be shown of the answer's body. */
  readonly body: string;
  readonly url: string | undefined;
}

/** Payload of the Failed event (platform contract, section 2). */
export interface FailedPayload {
  readonly error: string;
  readonly error_traceback: string;
  readonly request_verb?: 'POST';
  readonly request_url?: string;
  /** Which texts; never what they say. */
  readonly request_data: { readonly delivery_id: string; readonly recipients: readonly string[] };
  readonly server_response_status?: number;
  readonly server_response_body?: string;
}

/** Body of the answer to a run that failed (platform contract, section 4). */
export interface FailedBody {
  readonly detail: FailedPayload & { readonly error_type: FailureKind['errorType'] };
}

/** `<title> - <message> (HTTP <status>)`. */
export const failureSentence = ({ error, status }: Pick<Failure, 'error' | 'status'>): string =>
  `${failureKind(error).title} - ${error.message}${status === null ? '' : ` (HTTP ${status})`}`;

/** What the Failed event says. */
export const failedPayload = (
  failure: Failure,
  which: { readonly deliveryId: string; readonly recipients: readonly string[] },
): FailedPayload => ({
  error: failureSentence(failure),
  error_traceback: failure.error.stack ?? '',
  ...(failure.url === undefined ? {} : { request_verb: 'POST' as const, request_url: failure.url }),
  request_data: { delivery_id: which.deliveryId, recipients: which.recipients },
  ...(failure.status === null ? {} : { server_response_status: failure.status, server_response_body: failure.body }),
});

/** The body of the answer that reports it. */
export const failedBody = (failure: Failure, payload: FailedPayload): FailedBody => ({
  detail: { ...payload, error_type: failureKind(failure.error).errorType },
});

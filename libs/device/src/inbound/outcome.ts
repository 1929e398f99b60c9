import type { RelayError } from '@ranger-relay/errors';

/** A call that the vendor did not carry out, as far as is known. */
export interface InboundFailure {
  /**
   * `permanent` – a retry fails again; `transient` – not carried out, a retry may succeed; `ambiguous` – possibly carried out, the response
   * was lost.
   */
  readonly kind: 'permanent' | 'transient' | 'ambiguous';
  /** Registered error, without credentials and texts; has `retryAfterMs` when the vendor asked for a wait. */
  readonly error: RelayError;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** The vendor's own error code, known or unknown. */
  readonly code: number | null;
  /** The part of the response body that may be shown, on one line; empty without a response. */
  readonly body: string;
  /** Address of the call, without credentials; undefined when the address was unusable. */
  readonly url: string | undefined;
}

/** The result of a call to the inbound service. Acceptance by the vendor does not mean delivery to the handset. */
export type InboundOutcome = { readonly kind: 'accepted'; readonly status: number } | InboundFailure;

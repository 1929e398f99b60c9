import type { RelayError } from '@ranger-relay/errors';

/** A call that the vendor did not carry out, as far as is known. */
export interface InboundFailure {
  /**
   * `permanent` – the same call fails again; `transient` – not carried out, worth another try; `ambiguous` – perhaps carried out, the
   * answer was lost.
   */
  readonly kind: 'permanent' | 'transient' | 'ambiguous';
  /** Registered, without credentials and texts; `retryAfterMs` when the vendor asked for a wait. */
  readonly error: RelayError;
  /** Of the answer; null without one. */
  readonly status: number | null;
  /** The vendor's own error code, known to us or not. */
  readonly code: number | null;
  /** What may be shown of the answer's body, on one line; empty without one. */
  readonly body: string;
  /** Where the call went, without credentials; undefined when the address was unusable. */
  readonly url: string | undefined;
}

/** What a call of the inbound service came to. Accepted by the vendor is not delivered to the handset. */
export type InboundOutcome = { readonly kind: 'accepted'; readonly status: number } | InboundFailure;

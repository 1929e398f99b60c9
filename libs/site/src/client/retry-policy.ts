/** A failed attempt. */
export interface Loss {
  /** `lost`: there was no usable response. `throttled`: the site asked to wait, and did not process the request. */
  readonly kind: 'lost' | 'throttled';
  readonly target: string;
  /** As shown to the operator: `HTTP 503`, `no answer within 120 s`. */
  readonly reason: string;
  /** Wait that the site asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the site may have carried out the request. */
  readonly ambiguous: boolean;
  /** Whether an immediate retry cannot help. */
  readonly hopeless?: boolean;
}

/** How often the same request was lost, and since when; throttled attempts do not count. */
export interface Losses {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly count: number;
}

/** An attempt that may be sent. */
export interface Pass {
  /** Number of pauses before the attempt was sent. */
  readonly pauses: number;
}

/** When attempts are sent and which of them are repeated. The callers of a site differ in this alone. */
export interface RetryPolicy {
  /** Whether 408, other 5xx and an untrusted certificate count as an outage instead of a refusal. */
  readonly faultsAreOutages: boolean;
  /** Runs an attempt as soon as it may be sent. */
  run<T>(attempt: (pass: Pass) => Promise<T>): Promise<T>;
  /** Reports a response of the site. */
  answered(): void;
  /**
   * Waits after a loss, or has the next attempt wait.
   * @param losses those of the same request, including this one
   * @param tries attempts of the same request so far, throttled ones included
   * @returns whether another attempt may follow
   * @throws the reason of the signal once it is aborted
   */
  setBack(pass: Pass, loss: Loss, losses: Losses, tries: number, signal?: AbortSignal): boolean | Promise<boolean>;
}

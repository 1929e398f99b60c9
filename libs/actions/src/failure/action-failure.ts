/** Classes of failures between an action and the other system. */
export type ErrorType = 'auth' | 'connectivity' | 'timeout' | 'rate_limit' | 'bad_response';

/** The details of a failure that a handler reports. */
export interface FailureFacts {
  /** Whether a retry can help: the message is redelivered. Otherwise it is acknowledged. */
  readonly transient: boolean;
  readonly type?: ErrorType;
  /** A title before the message of a failure without a type; the portal knows those of the types. */
  readonly title?: string;
  /** The failed call, if there was one. */
  readonly request?: { readonly verb?: string; readonly url?: string; readonly data?: unknown };
  /** The response that caused the failure. */
  readonly response?: { readonly status: number; readonly body?: unknown };
  readonly retryAfterMs?: number;
  /** The response to a caller whose message is acknowledged, instead of the error body. */
  readonly result?: unknown;
  /** Whether the handler has written the dead letters itself. */
  readonly deadLettered?: boolean;
  readonly cause?: unknown;
}

/** A failure that the handler has classified; its classification overrides every rule (platform contract, runner). */
export class ActionFailure extends Error {
  override readonly name = 'ActionFailure';
  readonly facts: FailureFacts;

  constructor(message: string, facts: FailureFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.facts = facts;
  }
}

/** What went wrong between an action and the other side. */
export type ErrorType = 'auth' | 'connectivity' | 'timeout' | 'rate_limit' | 'bad_response';

/** The call that failed, as far as there was one. */
export interface FailedRequest {
  readonly verb?: string;
  readonly url?: string;
  readonly data?: unknown;
}

/** The answer that made it fail. */
export interface FailedResponse {
  readonly status: number;
  readonly body?: unknown;
}

/** What a handler knows about its failure. */
export interface FailureFacts {
  /** A repeat can help: the message is delivered again. Else it is done with. */
  readonly transient: boolean;
  readonly type?: ErrorType;
  /** A few words before the message; those of the type when left out. */
  readonly title?: string;
  readonly request?: FailedRequest;
  readonly response?: FailedResponse;
  readonly retryAfterMs?: number;
  /** Answers a caller whose message is done with, in place of the error body. */
  readonly result?: unknown;
  /** The handler has put what cannot be done into the dead letters itself. */
  readonly deadLettered?: boolean;
  readonly cause?: unknown;
}

/** A failure that the handler has classified itself, which wins over every rule (platform contract, runner). */
export class ActionFailure extends Error {
  override readonly name = 'ActionFailure';
  readonly facts: FailureFacts;

  constructor(message: string, facts: FailureFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.facts = facts;
  }
}

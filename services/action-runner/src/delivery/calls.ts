import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { FailureTracker, LaneRef } from '@ranger-relay/platform';
import type { Clock } from '@ranger-relay/runtime';

/** A call of the platform that failed. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly failure: RelayError;
  /** Monotonic, ms. */
  readonly startedAt: number;

  constructor(failure: RelayError, startedAt: number) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.startedAt = startedAt;
  }
}

/** The calls of one batch. */
export interface Calls {
  readonly ref: LaneRef;
  /** Aborted when the batch is not this process's any more. */
  readonly signal: AbortSignal;
  /** Makes a call. @throws CallFailed; the reason of the signal */
  make<T>(call: (options: { readonly signal: AbortSignal }) => Promise<T>): Promise<T>;
}

/** Dependencies of calls. */
export interface CallDependencies {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly tracker: Pick<FailureTracker, 'succeeded'>;
  /** Called after an answer. @param recovered the integration had been failing */
  onAnswer(integrationId: string, recovered: boolean): void;
}

/** Creates the calls of a batch. */
export const createCalls = (
  { clock, tracker, onAnswer }: CallDependencies,
  ref: LaneRef,
  signal: AbortSignal,
): Calls => ({
  ref,
  signal,
  async make(call) {
    signal.throwIfAborted();
    const startedAt = clock.monotonic();
    try {
      const answer = await call({ signal });
      onAnswer(ref.integrationId, tracker.succeeded(ref));
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw isRelayError(error) && error.code !== 'internal' ? new CallFailed(error, startedAt) : error;
    }
  },
});

/** How a lease is kept, all ms. */
export interface LeaseTimes {
  /** Others wait so long after the last change that they saw; default 15,000. */
  readonly durationMs: number;
  /** The holder gives up so long after it sent the last renewal that was answered; default 10,000. The rest is for clocks that run at different speed and for requests under way. */
  readonly giveUpMs: number;
  /** Between two looks, and between two renewals; default 2,000. */
  readonly retryMs: number;
  /** For one call; default 4,000. */
  readonly callMs: number;
}

const defaults: LeaseTimes = { durationMs: 15_000, giveUpMs: 10_000, retryMs: 2_000, callMs: 4_000 };

/** Fills in what is left out. @throws RangeError for times that do not fit into each other */
export const leaseTimes = (given: Partial<LeaseTimes> = {}): LeaseTimes => {
  const times = { ...defaults, ...given };
  const { durationMs, giveUpMs, retryMs, callMs } = times;
  if (giveUpMs >= durationMs) throw new RangeError(`giveUpMs ${giveUpMs} must be less than durationMs ${durationMs}`);
  if (retryMs + callMs >= giveUpMs)
    throw new RangeError(`retryMs ${retryMs} and callMs ${callMs} must fit into giveUpMs ${giveUpMs}`);
  return times;
};

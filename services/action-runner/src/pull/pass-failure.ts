import { afterFailure, isWaiting, type ListingState, maxWaiting, type Range, withRanges } from './ranges.ts';

/** A failure of the site on a range, and what a pull knows around it. */
export interface SiteFailure<R extends Range, State extends ListingState<R>> {
  readonly state: State;
  readonly range: R;
  readonly error: unknown;
  /** Local time. */
  readonly now: number;
  /** Something could be read since the last row that was left out: with two in a row, no row is at fault. */
  readonly isProved: boolean;
}

/** How a pull handles failures of its site. */
export interface FailureHandling<R extends Range, State extends ListingState<R>> {
  readonly hides: (waiting: R, range: R) => boolean;
  /** Asks the site for what no row can match. @throws RelayError of the site when it gives no answer at all */
  readonly probe: () => Promise<void>;
  /** Saves the state of a run that ends with the failure. */
  readonly save: (state: State) => Promise<unknown>;
  /** Called once for a range around a row that the site fails on while it answers other requests. */
  readonly onWaiting: (range: R) => void;
}

/** State after a failure of the site, and whether a row was left out. */
export interface PassedFailure<State> {
  readonly state: State;
  readonly isRowLeft: boolean;
}

/**
 * Handles a failure of a site that still answers other requests: smaller and smaller ranges are requested until the failing row stands alone,
 * and all others are read.
 * @throws the failure
 */
export const passFailure = async <R extends Range, State extends ListingState<R>>(
  { state, range, error, now, isProved }: SiteFailure<R, State>,
  { hides, probe, save, onWaiting }: FailureHandling<R, State>,
): Promise<PassedFailure<State>> => {
  const judged = afterFailure(state.ranges, range, now, hides);
  const passed = withRanges(state, judged.ranges);
  if (judged.kind === 'again') {
    await save(passed);
    throw error;
  }
  await probe();
  if (judged.kind !== 'waits' || !judged.isNew) return { state: passed, isRowLeft: false };
  if (!isProved || passed.ranges.filter(isWaiting).length > maxWaiting) throw error;
  onWaiting(judged.waiting);
  return { state: passed, isRowLeft: true };
};

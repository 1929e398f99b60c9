import type { ActionContext } from '@ranger-relay/actions';
import type { KeptState } from './kept-state.ts';
import type { Part } from './position.ts';
import {
  afterFailure,
  isPageFailure,
  isWaiting,
  type ListingState,
  maxWaiting,
  type Range,
  withRanges,
} from './ranges.ts';

/** A list of the site as its pull reads it, in ranges. */
export interface RangedList<
  R extends Range,
  State extends ListingState<R>,
  Ask extends { readonly range: R },
  Row,
  P extends Part = Part,
> {
  /** The next request, and the state in which it is due; no request when nothing is left to do. @param now local time */
  readonly next: (state: State, now: number) => { readonly state: State; readonly ask: Ask | undefined };
  /** Requests a part of the list, and what its rows need. @throws RelayError of the site */
  readonly read: (ask: Ask) => Promise<P>;
  /** The state with a part, valid once the rows are published. */
  readonly take: (state: State, ask: Ask, part: P) => { readonly state: State; readonly rows: readonly Row[] };
  /** Puts rows on the bus. @param state the state that is saved next */
  readonly publish: (rows: readonly Row[], state: State) => Promise<void>;
  /** The state after an error that no other range would avoid. @throws the error when it ends the run */
  readonly afterRefusal: (state: State, ask: Ask, error: unknown) => State | Promise<State>;
  /** Whether a request for `range` would meet the failing row of `waiting` too. */
  readonly hides: (waiting: R, range: R) => boolean;
  /** Asks the site for what no row can match. @throws RelayError of the site when it gives no answer at all */
  readonly probe: (ask: Ask) => Promise<unknown>;
  /** Called once for a range around a row that the site fails on while it answers other requests. */
  readonly onWaiting: (range: R, ask: Ask, error: unknown) => void;
}

/** Dependencies of a reading. */
export interface ReadingContext<State> extends Pick<ActionContext, 'clock' | 'signal' | 'timeUsed'> {
  readonly keptState: KeptState<State>;
}

/** Result of a reading. */
export interface Reading<State> {
  readonly state: State;
  /** Nothing is left to read, except what is retried hourly. */
  readonly isDone: boolean;
}

/** Share of the execution time after which no page is requested, so that work in progress can complete. */
const lastStart = 0.8;

/** Whether a run must request nothing more. */
export const isTimeUp = ({ timeUsed }: Pick<ActionContext, 'timeUsed'>): boolean => timeUsed() >= lastStart;

/**
 * Reads a list part after part until nothing is left, the time is up, or another writer has changed the state. The state is saved after
 * each part, once its rows are published; the next part is requested meanwhile. Where the site fails on a part but answers other requests,
 * smaller and smaller ranges are requested until the failing row stands alone, and all others are read.
 * @throws RelayError of the site, the bus and the store
 */
export const readRanges = async <
  R extends Range,
  State extends ListingState<R>,
  Ask extends { readonly range: R },
  Row,
  P extends Part,
>(
  { clock, signal, timeUsed, keptState }: ReadingContext<State>,
  list: RangedList<R, State, Ask, Row, P>,
  first: State,
): Promise<Reading<State>> => {
  let state = first;
  // Something could be read since the last row that was left out: with two in a row, no row is at fault.
  let isProved = true;

  const request = () => {
    if (isTimeUp({ timeUsed })) return undefined;
    const due = list.next(state, clock.now());
    ({ state } = due);
    const { ask } = due;
    if (!ask) return undefined;
    const answer = list.read(ask).then(
      (part) => ({ part }),
      (error: unknown) => ({ error }),
    );
    return { ask, answer };
  };

  const passFailure = async (ask: Ask, error: unknown): Promise<void> => {
    const judged = afterFailure(state.ranges, ask.range, clock.now(), list.hides);
    const passed = withRanges(state, judged.ranges);
    if (judged.kind === 'again') {
      await keptState.save(passed);
      throw error;
    }
    await list.probe(ask);
    state = passed;
    if (judged.kind !== 'waits' || !judged.isNew) return;
    if (!isProved || passed.ranges.filter(isWaiting).length > maxWaiting) throw error;
    list.onWaiting(judged.waiting, ask, error);
    isProved = false;
  };

  /** Updates the state with an answer and returns the rows to publish. */
  const take = async (ask: Ask, answer: { readonly part: P } | { readonly error: unknown }) => {
    if ('part' in answer) {
      isProved ||= answer.part.rows.length > 0;
      const taken = list.take(state, ask, answer.part);
      ({ state } = taken);
      return taken.rows;
    }
    if (isPageFailure(answer.error)) await passFailure(ask, answer.error);
    else state = await list.afterRefusal(state, ask, answer.error);
    return [];
  };

  let isOurs = await keptState.save(state);
  for (let pending = isOurs ? request() : undefined; pending && isOurs;) {
    const { ask } = pending;
    const answer = await pending.answer;
    signal.throwIfAborted();
    const rows = await take(ask, answer);
    pending = request();
    await list.publish(rows, state);
    isOurs = await keptState.save(state);
  }
  return { state, isDone: isOurs && state.ranges.every(isWaiting) };
};

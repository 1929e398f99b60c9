import { toRelayError } from '@ranger-relay/errors';
import { areHolesDue, isPageFailure, maxHoles, narrow, noEndMs } from '../pull/narrow.ts';
import type { Chosen } from './choose.ts';
import type { TakingDependencies } from './parts.ts';
import { beyondHole, withCursor, type EventsAsk, type EventsState } from './plan.ts';
import { eventsPath, eventsQuery } from './query.ts';
import { readEvent } from './site-event.ts';
import { takeShown } from './take.ts';

type Hole = NonNullable<EventsState['holes']>[number];

const textOf = ({ from, to }: Hole) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });

/** Checks whether the site answers at all, by a request that no event can match. @throws RelayError of the site */
const probe = async ({ site, config, signal }: TakingDependencies, chosen: Chosen): Promise<void> => {
  const never = { lower: noEndMs, upper: noEndMs, sorted: false };
  await site.page(eventsPath, eventsQuery(config, never, chosen), { signal });
};

/** Result of a failure of the site; `isHole`: the failing event was found, and reading continues behind it. */
export interface PassedFailure {
  readonly state: EventsState;
  readonly isHole: boolean;
}

/**
 * Handles a failure of the site that still answers other requests: narrows the requested part, down to the event that causes the failure.
 * @param isProved something could be read since the last such event: with two in a row, no event is at fault
 * @param save saves the state of a run that ends with the failure
 * @throws the failure
 */
export const passFailure = async (
  parts: TakingDependencies,
  chosen: Chosen,
  { state, ask, error, isProved }: { state: EventsState; ask: EventsAsk; error: unknown; isProved: boolean },
  save: (state: EventsState) => Promise<boolean>,
): Promise<PassedFailure> => {
  const { cursor, holes = [], holes_at: at = parts.clock.now() } = state;
  if (!cursor) throw error;
  const judged = narrow(ask.lower, ask.upper, ask.end, cursor);
  if (judged.kind === 'again') {
    await save(withCursor(state, { at: ask.lower, ...judged.narrowing }));
    throw error;
  }
  await probe(parts, chosen);
  if (judged.kind === 'smaller')
    return { state: withCursor(state, { at: ask.lower, ...judged.narrowing }), isHole: false };
  const hole = { from: ask.lower, to: judged.to };
  if (!isProved || holes.length >= maxHoles) throw error;
  parts.feed.warning('The site fails on some events; they were skipped and are retried each hour', {
    ...textOf(hole),
    reason: toRelayError(error).message,
  });
  return { state: { ...beyondHole(state, judged.to), holes: [...holes, hole], holes_at: at }, isHole: true };
};

/** Reads a hole, which is shorter than a second, whole. False when some of it is left. */
const readHole = async (parts: TakingDependencies, chosen: Chosen, { from, to }: Hole): Promise<boolean> => {
  const { site, config, signal } = parts;
  const query = eventsQuery(config, { lower: from, upper: to, sorted: false }, chosen);
  const { rows, next } = await site.page(eventsPath, query, { signal });
  const events = rows.flatMap((row) => readEvent(row) ?? []);
  return (await takeShown(parts, events)) && next === null;
};

/** Requests the holes again, once an hour. @returns the state without the holes that could be read */
export const takeHoles = async (
  parts: TakingDependencies,
  chosen: Chosen,
  state: EventsState,
): Promise<EventsState> => {
  const { holes = [], holes_at: at } = state;
  const now = parts.clock.now();
  if (holes.length === 0 || !areHolesDue(at, now)) return state;
  const left: Hole[] = [];
  for (const hole of holes) {
    const isRead = await readHole(parts, chosen, hole).catch((error: unknown) => {
      if (!isPageFailure(error)) throw error;
      return false;
    });
    if (!isRead) left.push(hole);
  }
  return { ...state, holes: left.length > 0 ? left : undefined, holes_at: now };
};

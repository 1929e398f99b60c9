import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { inBatches } from '../mapping/batches.ts';
import { idOf, isRow, readInstant } from '../mapping/instant.ts';
import { type Fix, readFix, recordOf } from '../mapping/source-event.ts';
import type { KeptState } from '../pull/kept-state.ts';
import { type Part, readPart } from '../pull/position.ts';
import { passFailure } from '../pull/pass-failure.ts';
import { isPageFailure, noEndMs, type Range } from '../pull/ranges.ts';
import type { PullDependencies } from './parts.ts';
import {
  afterPart,
  type Ask,
  hides,
  ignoreArrival,
  nextAsk,
  type Notice,
  type PlanSettings,
  queryOf,
  skipRange,
} from './plan.ts';
import { readRecentArrivals } from './recent-arrivals.ts';
import type { PullState } from './state.ts';

/** Result of reading. */
export interface Progress {
  readonly state: PullState;
  /** True when `state` is the stored state: no other writer has changed it meanwhile. */
  readonly isOurs: boolean;
  readonly extracted: number;
  readonly pages: number;
}

/** Dependencies of reading pages. */
export interface ReadingDependencies extends PullDependencies {
  readonly settings: PlanSettings;
  readonly keptState: KeptState<PullState>;
  onNotice(notice: Notice): void;
  /** Called for an observation that cannot be read. @param id undefined when not even that can be */
  onUnreadable(id: string | undefined): void;
  /** Called for a second with more rows than the site returns at once. */
  onCut(second: Readonly<Record<string, unknown>>): void;
  /** Called for a range that the site permanently refuses. */
  onSkipped(range: Readonly<Record<string, unknown>>): void;
  /** Called for a range that the site fails on while it answers other requests. */
  onWaiting(range: Readonly<Record<string, unknown>>): void;
}

/** Share of the execution time after which no further page is requested. */
const lastStart = 0.8;

const refusalCodes = ['site_refused', 'site_not_found', 'site_forbidden'] as const;

const path = 'observations';

/** The rows from a time on, and the time before which they are complete. */
type CompletePart = Part & { readonly through: number };

type Answer = { readonly part: CompletePart } | { readonly refusal: RelayError } | { readonly failure: unknown };

const timeIn = (row: unknown, name: 'created_at' | 'recorded_at'): number | undefined =>
  isRow(row) ? readInstant(row[name]) : undefined;

const inOrder = (part: Part): CompletePart => {
  if (part.through !== undefined) return { ...part, through: part.through };
  const problem = 'the observations are not in the order of their times';
  throw new RelayError('site_answer_unreadable', { details: { target: `GET ${path}`, problem } });
};

/**
 * Requests the next rows; returns them, or the site's refusal or failure.
 * @param onPage called before each request
 * @throws all other errors
 */
const read = async ({ reader }: ReadingDependencies, ask: Ask, onPage: () => void): Promise<Answer> => {
  const list = {
    path,
    keyOf: (row: unknown) => timeIn(row, 'recorded_at'),
    page(since: number, to: number) {
      onPage();
      return reader.page(path, queryOf(ask, since, to));
    },
  };
  try {
    return { part: inOrder(await readPart(list, ask.from, ask.to)) };
  } catch (error) {
    if (isPageFailure(error)) return { failure: error };
    if (!isRelayError(error, ...refusalCodes)) throw error;
    return { refusal: error };
  }
};

/** Whether the site answers a small request of the same kind. @throws RelayError of the site when it gives no answer at all */
const answersSmall = async ({ reader }: ReadingDependencies, ask: Ask, byArrival: boolean): Promise<boolean> => {
  const any = { ...ask, source: null, byArrival };
  try {
    await reader.page(path, { ...queryOf(any, ask.from, ask.from), page_size: '1' });
    return true;
  } catch (error) {
    if (isRelayError(error) && error.next !== 'retry') return false;
    throw error;
  }
};

const named = ({ from, to }: Range, { source }: Ask, reason: string): Readonly<Record<string, unknown>> => ({
  source,
  from: new Date(from).toISOString(),
  to: to === null ? null : new Date(to).toISOString(),
  reason,
});

/**
 * Returns the plan's state after a refusal. The cause is a bound that the site does not know, or a range that it permanently refuses while it
 * returns others. When the site refuses everything, no range is at fault and none may be skipped.
 * @throws the refusal
 */
const afterRefusal = async (
  parts: ReadingDependencies,
  state: PullState,
  ask: Ask,
  refusal: RelayError,
): Promise<PullState> => {
  const isBounds = ask.byArrival && !(await answersSmall(parts, ask, true));
  if (!(await answersSmall(parts, ask, false))) throw refusal;
  // Rows that are recorded long before they arrive are missed without the bound, so one refusal is not believed.
  if (ask.byArrival && !isBounds && ask.source === null) throw refusal;
  if (!isBounds) {
    parts.onSkipped(named(ask.range, ask, refusal.message));
    return skipRange(state, ask);
  }
  parts.onNotice({ kind: 'arrival_ignored' });
  return ignoreArrival(state, parts.settings);
};

/** Checks whether the site answers at all, by a request that no observation can match. @throws RelayError of the site */
const probe = async ({ reader }: ReadingDependencies, ask: Ask): Promise<void> => {
  await reader.page(path, { ...queryOf({ ...ask, byArrival: false }, noEndMs, noEndMs), page_size: '1' });
};

const fixesIn = (
  { onUnreadable }: ReadingDependencies,
  rows: readonly unknown[],
  { source, from, to, savedFrom }: Ask,
): readonly Fix[] =>
  rows.flatMap((row) => {
    const fix = readFix(row, source);
    if (fix === undefined) onUnreadable(idOf(row));
    const isWanted = fix && fix.at >= from && fix.at < to && (timeIn(row, 'created_at') ?? Infinity) >= savedFrom;
    return isWanted ? [fix] : [];
  });

/** Largest number of records in one call of the bus. */
const batchSize = 100;

/** Publishes rows; the many of one second lose their names when looking them up would take longer than the run may. */
const publish = async (
  { context, integrationId, directory }: ReadingDependencies,
  fixes: readonly Fix[],
  attempt: number,
): Promise<void> => {
  for (const [index, batch] of inBatches(fixes, batchSize).entries()) {
    if (index === 0 || context.timeUsed() < lastStart) await directory.learn(batch.map(({ sourceId }) => sourceId));
    const origin = { integrationId, receivedAt: new Date(context.clock.now()).toISOString(), attempt };
    const records = batch.map((fix) => recordOf(fix, directory.of(fix.sourceId), origin));
    context.signal.throwIfAborted();
    await context.tools.bus.publish(context.tools.sourceEventsTopic, records);
  }
};

const ignore = (): void => undefined;

/**
 * Reads page after page according to the plan, until nothing is left or 80 % of the time has passed. The state is saved after each page,
 * once all of its rows are on the bus; the next page is requested meanwhile.
 * @throws RelayError of the site, the bus and the store
 */
export const readPages = async (parts: ReadingDependencies, first: PullState): Promise<Progress> => {
  const { context, settings, keptState } = parts;
  let [state, extracted, pages, isProved] = [first, 0, 0, true];

  const askNext = () => {
    if (context.timeUsed() >= lastStart) return undefined;
    const due = nextAsk(state, settings, context.clock.now());
    ({ state } = due);
    const next = due.ask;
    if (!next) return undefined;
    const answer = read(parts, next, () => (pages += 1));
    // The answer is not awaited when the previous page cannot be published.
    answer.catch(ignore);
    return { next, answer };
  };

  /** Updates the plan with a part and returns the rows to publish. */
  const take = (from: Ask, { rows, through, siteTime, cutAt }: CompletePart): readonly Fix[] => {
    isProved ||= rows.length > 0;
    const facts = rows.map((row) => ({ recordedAt: timeIn(row, 'recorded_at'), savedAt: timeIn(row, 'created_at') }));
    const step = afterPart(state, settings, from, { rows: facts, through, siteTime, now: context.clock.now() });
    state = step.state;
    for (const notice of step.notices) parts.onNotice(notice);
    if (step.take && cutAt !== undefined) parts.onCut({ second: new Date(cutAt).toISOString(), source: from.source });
    return step.take ? fixesIn(parts, rows, from) : [];
  };

  const attempt = state.attempt ?? 1;
  const recent = await readRecentArrivals(context.state, attempt);
  /** Rows saved from this time on are returned again by the next listing. */
  const shownAgainFrom = (): number => (state.last_execution ?? -Infinity) - settings.overlapMs;

  const pass = async (all: readonly Fix[], { range }: Ask): Promise<void> => {
    const fixes = range.listing ? all.filter((fix) => !recent.has(fix)) : all;
    await publish(parts, fixes, attempt);
    extracted += fixes.length;
    for (const fix of fixes) {
      const savedAt = timeIn(fix.rest, 'created_at') ?? -Infinity;
      if (savedAt >= shownAgainFrom()) recent.add(fix, savedAt);
    }
  };

  let isOurs = await keptState.save(state);
  for (let pending = isOurs ? askNext() : undefined; pending && isOurs;) {
    const { next } = pending;
    const answer = await pending.answer;
    context.signal.throwIfAborted();
    const fixes = 'part' in answer ? take(next, answer.part) : [];
    if ('refusal' in answer) state = await afterRefusal(parts, state, next, answer.refusal);
    if ('failure' in answer) {
      const { failure: error } = answer;
      const passed = await passFailure(
        { state, range: next.range, error, now: context.clock.now(), isProved },
        {
          hides,
          probe: () => probe(parts, next),
          save: keptState.save,
          onWaiting: (range) => parts.onWaiting(named(range, next, toRelayError(error).message)),
        },
      );
      ({ state } = passed);
      isProved &&= !passed.isRowLeft;
    }
    pending = askNext();
    await pass(fixes, next);
    isOurs = await keptState.save(state);
  }
  await recent.save(shownAgainFrom());
  return { state, isOurs, extracted, pages };
};

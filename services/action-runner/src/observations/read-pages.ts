import type { StateValue } from '@ranger-relay/actions';
import { isObject, isRelayError, RelayError } from '@ranger-relay/errors';
import { idOf, readInstant } from '../mapping/instant.ts';
import { type SourceFacts, unknownSource } from '../mapping/source-directory.ts';
import { type Fix, readFix, recordOf } from '../mapping/source-event.ts';
import type { KeptState } from '../pull/kept-state.ts';
import { type ListReport, passedOver } from '../pull/notices.ts';
import { noEndMs, type Part, readPart } from '../pull/position.ts';
import { publishRows } from '../pull/publish.ts';
import { type RangedList, type Reading, readRanges } from '../pull/read-ranges.ts';
import { readRecentArrivals } from '../pull/recent-arrivals.ts';
import type { PullDependencies } from './dependencies.ts';
import {
  afterPart,
  type Ask,
  hides,
  ignoreArrival,
  nextAsk,
  type PartFacts,
  type PlanSettings,
  queryOf,
  skipRange,
} from './plan.ts';
import type { PullRange, PullState } from './state.ts';

/** Result of reading. */
export interface Progress extends Reading<PullState> {
  readonly extracted: number;
  readonly pages: number;
}

/** Dependencies of reading pages. */
export interface ReadingDependencies extends PullDependencies {
  readonly settings: PlanSettings;
  readonly keptState: KeptState<PullState>;
  readonly report: ListReport;
  /** Called when the site does not filter by arrival. */
  onArrivalIgnored(): void;
  /** Called for a range that the site permanently refuses. */
  onSkipped(range: StateValue): void;
}

const refusalCodes = ['site_refused', 'site_not_found', 'site_forbidden'] as const;

const path = 'observations';

const timeIn = (row: unknown, name: 'created_at' | 'recorded_at'): number | undefined =>
  isObject(row) ? readInstant(row[name]) : undefined;

/**
 * Requests the next rows.
 * @param onPage called before each request
 * @throws RelayError of the site
 */
const read = async ({ site, context: { clock } }: ReadingDependencies, ask: Ask, onPage: () => void): Promise<Part> => {
  const list = {
    path,
    clock,
    keyOf: (row: unknown) => timeIn(row, 'recorded_at'),
    page(since: number, to: number) {
      onPage();
      return site.page(path, queryOf(ask, since, to));
    },
  };
  const part = await readPart(list, ask.from, ask.to);
  if (part.through !== undefined) return part;
  const problem = 'the observations are not in the order of their times';
  throw new RelayError('site_answer_unreadable', { details: { target: `GET ${path}`, problem } });
};

const factsOf = ({ rows, through = -Infinity, siteTime, now }: Part): PartFacts => ({
  rows: rows.map((row) => ({ recordedAt: timeIn(row, 'recorded_at'), savedAt: timeIn(row, 'created_at') })),
  through,
  siteTime,
  now,
});

/** Whether the site answers a small request of the same kind. @throws RelayError of the site when it gives no answer at all */
const answersSmall = async ({ site }: ReadingDependencies, ask: Ask, byArrival: boolean): Promise<boolean> => {
  const any = { ...ask, source: null, byArrival };
  try {
    await site.page(path, { ...queryOf(any, ask.from, ask.from), page_size: '1' });
    return true;
  } catch (error) {
    if (isRelayError(error) && error.next !== 'retry') return false;
    throw error;
  }
};

/** Whether the site refuses a request again. @throws another error of the site */
const isRefusedAgain = async (deps: ReadingDependencies, ask: Ask): Promise<boolean> => {
  try {
    await read(deps, ask, () => undefined);
    return false;
  } catch (error) {
    if (isRelayError(error, ...refusalCodes)) return true;
    throw error;
  }
};

/**
 * Returns the plan's state after a refusal. The cause is a bound that the site does not know, or a range that it permanently refuses while it
 * returns others. When the site refuses everything, no range is at fault and none may be skipped.
 * @throws the refusal
 */
const afterRefusal = async (
  deps: ReadingDependencies,
  state: PullState,
  ask: Ask,
  refusal: unknown,
): Promise<PullState> => {
  if (!isRelayError(refusal, ...refusalCodes)) throw refusal;
  const isBounds = ask.byArrival && !(await answersSmall(deps, ask, true));
  if (!(await answersSmall(deps, ask, false))) throw refusal;
  // Rows that are recorded long before they arrive are missed without the bound, so one refusal is not believed.
  if (ask.byArrival && !isBounds && ask.source === null) throw refusal;
  if (!isBounds) {
    // What is skipped is never asked for again, so one refusal is not believed here either.
    if (!(await isRefusedAgain(deps, ask))) return state;
    deps.onSkipped({ source: ask.source, ...passedOver(ask.range, refusal) });
    return skipRange(state, ask);
  }
  deps.onArrivalIgnored();
  return ignoreArrival(state, deps.settings);
};

/** Checks whether the site answers at all, by a request that no observation can match. @throws RelayError of the site */
const probe = async ({ site }: ReadingDependencies, ask: Ask): Promise<void> => {
  await site.page(path, { ...queryOf({ ...ask, byArrival: false }, noEndMs, noEndMs), page_size: '1' });
};

/** The rows of a part that its request is about, and that can be read. */
const fixesIn = (rows: readonly unknown[], { source, from, to, savedFrom }: Ask): readonly Fix[] =>
  rows.flatMap((row) => {
    const fix = readFix(row, source);
    const isWanted = fix && fix.at >= from && fix.at < to && (timeIn(row, 'created_at') ?? Infinity) >= savedFrom;
    return isWanted ? [fix] : [];
  });

/** A fix, and what the site knows of its source. */
interface SourceFix {
  readonly fix: Fix;
  readonly facts: SourceFacts;
}

/**
 * Reads part after part according to the plan, until nothing is left or the time is up.
 * @throws RelayError of the site, the bus and the store
 */
export const readPages = async (deps: ReadingDependencies, first: PullState): Promise<Progress> => {
  const { context, integrationId, settings, report } = deps;
  const { tools } = context;
  const where = { ...context, ...tools, topic: tools.sourceEventsTopic, integrationId };
  const attempt = first.attempt ?? 1;
  const recent = await readRecentArrivals(context.state, attempt);
  let [extracted, pages] = [0, 0];
  /** Rows saved from this time on are returned again by the next listing. */
  const shownAgainFrom = ({ last_execution: watermark = -Infinity }: PullState): number =>
    watermark - settings.overlapMs;

  const isNew = ({ id }: Fix): boolean => !recent.has(id);

  const list: RangedList<PullRange, PullState, Ask, SourceFix, Part & { readonly found: readonly SourceFix[] }> = {
    next: (state, now) => nextAsk(state, settings, now),
    async read(ask) {
      const part = await read(deps, ask, () => (pages += 1));
      const fixes = fixesIn(part.rows, ask).filter((fix) => isNew(fix));
      const known = await deps.directory.factsOf(fixes.map(({ sourceId }) => sourceId));
      return { ...part, found: fixes.map((fix) => ({ fix, facts: known.get(fix.sourceId) ?? unknownSource })) };
    },
    take(kept, ask, part) {
      const { state, take, notices } = afterPart(kept, settings, ask, factsOf(part));
      for (const notice of notices)
        if (notice.kind === 'arrival_ignored') deps.onArrivalIgnored();
        else report.clock(notice);
      if (!take) return { state, rows: [] };
      if (part.cutAt !== undefined) report.cut(part.cutAt, { source: ask.source });
      for (const row of part.rows) if (readFix(row, ask.source) === undefined) report.unreadable(idOf(row));
      return { state, rows: part.found };
    },
    async publish(all, state) {
      // What the part before has published was not known when this one was read.
      const found = all.filter(({ fix }) => isNew(fix));
      await publishRows(where, 'observation', found, (batch, receivedAt) =>
        batch.map(({ fix, facts }) => recordOf(fix, facts, { integrationId, receivedAt, attempt })),
      );
      extracted += found.length;
      for (const { fix } of found) {
        const savedAt = timeIn(fix.rest, 'created_at') ?? -Infinity;
        if (savedAt >= shownAgainFrom(state)) recent.add(fix.id, savedAt);
      }
      await recent.save(shownAgainFrom(state));
    },
    afterRefusal: (state, ask, error) => afterRefusal(deps, state, ask, error),
    hides,
    probe: (ask) => probe(deps, ask),
    onWaiting: (range, { source }, error) => report.waiting(range, error, { source }),
  };
  const reading = await readRanges({ ...context, keptState: deps.keptState }, list, first);
  return { ...reading, extracted, pages };
};

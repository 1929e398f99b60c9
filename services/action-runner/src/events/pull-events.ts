import { type ActionContext, defineAction } from '@ranger-relay/actions';
import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { isRow, readInstant } from '../mapping/instant.ts';
import { readEvent, type SiteEvent } from '../mapping/site-event.ts';
import { readKeptState, settingsHash } from '../pull/kept-state.ts';
import { isDue, reportClock } from '../pull/notices.ts';
import { type Part, readPart } from '../pull/position.ts';
import { noEndMs } from '../pull/ranges.ts';
import { type RangedList, readRanges } from '../pull/read-ranges.ts';
import { instantIn } from '../pull/pull-fields.ts';
import type { SiteDependencies } from '../tools.ts';
import { type Choice, choose, type Chosen, type SkippedReason } from './choose.ts';
import { lookUpTypes } from './event-types.ts';
import { chosenOf, type EventsRange } from './gaps.ts';
import {
  emptyTally,
  pullEventsConfig,
  type PullEventsConfig,
  type PullDependencies,
  type ReadingDependencies,
  type Tally,
} from './dependencies.ts';
import {
  afterEvents,
  beginEvents,
  type EventsAsk,
  type EventsSettings,
  type EventsState,
  eventsStateSchema,
  hides,
  judgePart,
  nextEventsAsk,
  withoutSorting,
} from './plan.ts';
import { eventsPath, eventsQuery } from './query.ts';
import { createPublishRows, type EventRow } from './publish.ts';

const hourMs = 3_600_000;

/**
 * Reports configured slugs that the site does not know, at most hourly (platform contract, `pull_events`): a WARNING when the run is
 * skipped because of them, else an INFO entry.
 * @throws RelayError of the state
 */
const reportSlugs = async (deps: PullDependencies, choice: Choice): Promise<void> => {
  const { unknownTypes, unknownCategories, skipped } = choice;
  if (unknownTypes.length + unknownCategories.length === 0) return;
  if (!(await isDue(deps, skipped ?? 'unknown_slugs', hourMs))) return;
  const data = {
    ...(unknownTypes.length > 0 ? { unknown_event_types: unknownTypes } : {}),
    ...(unknownCategories.length > 0 ? { unknown_event_categories: unknownCategories } : {}),
  };
  if (skipped === undefined) deps.feed.info('The site does not know some of the configured slugs', data);
  else {
    const what = skipped === 'no_resolvable_event_types' ? 'event types' : 'event categories';
    deps.feed.warning(`No events are pulled: the site knows none of the configured ${what}`, {
      ...data,
      skipped_reason: skipped,
    });
  }
};

const maxNamed = 20;

/** Reports events that have no id, which are skipped, and events whose place cannot be read, which come without it. */
const reportUnreadable = async (
  deps: PullDependencies,
  withoutId: number,
  events: readonly SiteEvent[],
): Promise<void> => {
  const placeless = events.filter(({ isPlaceUnreadable }) => isPlaceUnreadable).map(({ id }) => id);
  if (withoutId + placeless.length === 0) return;
  const data = { without_id: withoutId, place_unreadable: placeless.length, events: placeless.slice(0, maxNamed) };
  deps.log.warn(data, 'events of the site cannot be read as a whole');
  if (await isDue(deps, 'unreadable', hourMs))
    deps.feed.warning(
      'Some events of the site cannot be read: those without an id are skipped, a place is left out',
      data,
    );
};

const reportCut = ({ feed }: PullDependencies, second: number): void =>
  feed.warning(
    'More events of one second than the site returns at once: some are missing; choose event types to read fewer',
    {
      second: new Date(second).toISOString(),
    },
  );

const run = async (
  context: ActionContext<
    PullEventsConfig,
    unknown,
    Pick<SiteDependencies, 'openReader' | 'bus' | 'deadLetters' | 'siteEventsTopic' | 'overlapMs' | 'lateMs'>
  >,
): Promise<PullEventsResult> => {
  const { integration, tools, clock, signal } = context;
  const { id } = integration;
  if (id === null) throw new RelayError('integration_unsaved', { details: { action: context.actionId } });
  const { bus, deadLetters, siteEventsTopic: topic, overlapMs, lateMs } = tools;
  const site = tools.openReader(integration, await context.configOf('auth'), signal);
  const publish = createPublishRows({ bus, topic, deadLetters, integrationId: id, site: site.root, clock, signal });
  return pullEvents({ ...context, integrationId: id, site, overlapMs, lateMs, publish });
};

/** The action `pull_events`: puts the events of a site, and their later versions, on the bus. */
export const action_pull_events = defineAction({
  type: 'pull',
  config: pullEventsConfig,
  title: 'Pull events',
  description: 'Copies the events of the site to the platform, with their notes, changes and files.',
  run,
});

/** Output of a pull of events (platform contract, `pull_events`). */
export interface PullEventsResult extends Tally {
  /** Set when the run stopped because its time was up; the next run continues. */
  readonly status?: 'in_progress';
  readonly skipped_reason?: SkippedReason;
}

const memberOf = { updated_at: 'updated_at', created_at: 'created_at', event_time: 'time' } as const;

const settingsOf = ({ config, site, overlapMs, lateMs }: PullDependencies, chosen: Chosen): EventsSettings => {
  const { filter_date_field: field, event_types: types, event_categories: categories } = config;
  const start = instantIn(config.start_datetime) ?? 0;
  return {
    start,
    end: instantIn(config.end_datetime) ?? Infinity,
    forced: config.force_run_since_start,
    field,
    chosen,
    hash: settingsHash(site.root, start, field, types.toSorted(), categories.toSorted()),
    overlapMs,
    lateMs,
  };
};

const keyOf = (row: unknown, { field }: EventsSettings): number | undefined =>
  isRow(row) ? readInstant(row[memberOf[field]]) : undefined;

const maxRemembered = 10_000;

const versionOf = ({ id, updatedAt }: SiteEvent): string => `${id} ${updatedAt}`;

/** Reads the events of pages, oldest first, whatever the site's order. Versions that earlier pages of this run contained are left out. */
const eventReader = (deps: PullDependencies, settings: EventsSettings) => {
  const before = new Set<string>();
  return async (rows: readonly unknown[]): Promise<readonly EventRow[]> => {
    const ordered = rows.toSorted((a, b) => (keyOf(a, settings) ?? 0) - (keyOf(b, settings) ?? 0));
    const all = ordered.flatMap((row): EventRow[] => {
      const event = readEvent(row);
      return event ? [{ event, row }] : [];
    });
    if (before.size > maxRemembered) before.clear();
    const others = all.filter(({ event }) => !before.has(versionOf(event)) && before.add(versionOf(event)));
    await reportUnreadable(
      deps,
      rows.length - all.length,
      others.map(({ event }) => event),
    );
    return others;
  };
};

/** Requests the next part of the list; an unsorted list is one page, or as much of a second as the site returns. */
const partReader = ({ site, signal, config, tally }: ReadingDependencies, settings: EventsSettings) => {
  return (ask: EventsAsk, chosen: Chosen): Promise<Part> => {
    const { sorted } = ask;
    const page = (lower: number, upper: number) => {
      tally.pages_read += 1;
      return site.page(eventsPath, eventsQuery(config, { lower, upper, sorted }, chosen), { signal });
    };
    return readPart({ page, keyOf: (row) => keyOf(row, settings), path: eventsPath, sorted }, ask.lower, ask.upper);
  };
};

/** Returns the plan's state after a refusal. @throws the refusal when it does not concern the requested order */
const afterRefusal = (state: EventsState, ask: EventsAsk, error: unknown): EventsState => {
  if (isRelayError(error, 'site_refused') && ask.sorted && error.details['status'] === 400)
    return withoutSorting(state, ask);
  throw error;
};

/** Checks whether the site answers at all, by a request that no event can match. @throws RelayError of the site */
const probe = async ({ site, config, signal }: ReadingDependencies, chosen: Chosen): Promise<void> => {
  const never = { lower: noEndMs, upper: noEndMs, sorted: false };
  await site.page(eventsPath, eventsQuery(config, never, chosen), { signal });
};

/** Reports an event that the site fails on. */
const reportWaiting = ({ feed }: ReadingDependencies, { from, to }: EventsRange, error: unknown): void =>
  feed.warning('The site fails on some events; they were skipped and are retried each hour', {
    from: new Date(from).toISOString(),
    to: new Date(to ?? noEndMs).toISOString(),
    reason: toRelayError(error).message,
  });

/** Publishes part after part; false when something is left to read. */
const publishAll = async (deps: ReadingDependencies, chosen: Chosen): Promise<boolean> => {
  const { clock, publish, displays, config, tally } = deps;
  const settings = settingsOf(deps, chosen);
  const keptState = await readKeptState({ ...deps, actionId: 'pull_events' }, eventsStateSchema);
  const request = partReader(deps, settings);
  const eventsIn = eventReader(deps, settings);
  const list: RangedList<EventsRange, EventsState, EventsAsk, unknown> = {
    next: (state, now) => ({ state, ask: nextEventsAsk(state, settings, now) }),
    read: (ask) => request(ask, chosenOf(ask.range, chosen)),
    take(kept, ask, part) {
      const facts = { ...part, keys: part.rows.map((row) => keyOf(row, settings)), now: clock.now() };
      const { state, take, notices } = judgePart(kept, settings, ask, facts);
      for (const notice of notices) reportClock(deps, notice);
      if (!take) return { state, rows: [] };
      if (part.cutAt !== undefined) reportCut(deps, part.cutAt);
      return { state: afterEvents(state, ask, facts), rows: part.rows };
    },
    async publish(rows) {
      const events = await eventsIn(rows);
      await publish(events, { displays, withFiles: config.include_attachments });
      tally.events_extracted += events.length;
    },
    afterRefusal,
    hides,
    probe: () => probe(deps, chosen),
    onWaiting: (range, _ask, error) => reportWaiting(deps, range, error),
  };
  const { isDone } = await readRanges({ ...deps, keptState }, list, beginEvents(keptState.first, settings));
  return isDone;
};

/**
 * Puts the events of a site on the bus, each in its last version (platform contract, `pull_events`). The progress of the listing is saved after
 * each page; the watermark moves at its end.
 * @throws RelayError of the site, the state and the bus
 */
export const pullEvents = async (deps: PullDependencies): Promise<PullEventsResult> => {
  const { config, signal, site } = deps;
  const tally = emptyTally();
  const types = await lookUpTypes({ site, signal }, config.event_categories);
  const choice = choose(config, types);
  await reportSlugs(deps, choice);
  if (choice.skipped) return { ...tally, skipped_reason: choice.skipped };
  const { start, end } = settingsOf(deps, choice.chosen);
  if (start >= end) return tally;
  const isWhole = await publishAll({ ...deps, displays: types.displays, tally }, choice.chosen);
  return isWhole ? tally : { ...tally, status: 'in_progress' };
};

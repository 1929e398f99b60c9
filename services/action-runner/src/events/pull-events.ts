import { isObject } from '@ranger-relay/errors';
import { type ActionContext, defineAction } from '@ranger-relay/actions';
import type { SiteQuery } from '@ranger-relay/site';
import { idOf, readInstant } from '../mapping/instant.ts';
import { readEvent, type SiteEvent } from '../mapping/site-event.ts';
import { type DatedRequest, type DatedSettings, datedStateSchema, readDated } from '../pull/dated-list.ts';
import { readKeptState, settingsHash } from '../pull/kept-state.ts';
import { createListReport, isDue, type ListReport } from '../pull/notices.ts';
import { openPull, windowOf } from '../pull/open-pull.ts';
import { lowerBound, pageParameters } from '../pull/position.ts';
import type { SiteDependencies } from '../tools.ts';
import { pullEventsConfig, type PullEventsConfig, type PullEventsDependencies } from './dependencies.ts';
import { type Choice, choose, type Chosen, lookUpTypes, type SkippedReason } from './event-types.ts';
import { createPublishEvents, type EventRow } from './publish.ts';

/** Output of a pull of events (platform contract, `pull_events`). */
export interface PullEventsResult {
  /** Set when the run stopped because its time was up; the next run continues. */
  readonly status?: 'in_progress';
  readonly skipped_reason?: SkippedReason;
  /** Versions of events that were put on the bus; those that lie in the overlap with the last run come again. */
  readonly events_extracted: number;
  /** Pages of events requested from the site. */
  readonly pages_read: number;
}

const path = 'activity/events';

const memberOf = { updated_at: 'updated_at', created_at: 'created_at', event_time: 'time' } as const;
const filterOf = { updated_at: 'update_date', created_at: 'create_date', event_time: 'date_range' } as const;

const words = {
  rows: 'events',
  remedy: 'choose event types to read fewer',
  unreadable: 'those without an id are skipped, a place is left out',
};

/**
 * Reports configured slugs that the site does not know, at most hourly (platform contract, `pull_events`): a WARNING when the run is
 * skipped because of them, else an INFO entry.
 * @throws RelayError of the state
 */
const reportSlugs = async (deps: PullEventsDependencies, choice: Choice): Promise<void> => {
  const { unknownTypes, unknownCategories, skipped } = choice;
  if (unknownTypes.length + unknownCategories.length === 0) return;
  if (!(await isDue(deps, skipped ?? 'unknown_slugs'))) return;
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

/** Settings of a run. Reports are written late: yesterday's event may be recorded tomorrow. */
const settingsOf = ({ config, site, overlapMs, lateMs }: PullEventsDependencies, names: Chosen): DatedSettings => {
  const { filter_date_field: by, event_types: types, event_categories: categories } = config;
  const { start, end } = windowOf(config);
  return {
    start,
    end,
    forced: config.force_run_since_start,
    by,
    names,
    hash: settingsHash(site.root, start, by, types.toSorted(), categories.toSorted()),
    backMs: by === 'event_time' ? lateMs : overlapMs,
    lateMs,
  };
};

/** Parameters of the site's list of events (platform contract, site pull actions). */
export const eventsQuery = (
  { filter_date_field: field, include_attachments: files }: PullEventsConfig,
  { lower, upper, sorted, names: { types = [], categories = [] } }: DatedRequest,
): SiteQuery => {
  const bounds = {
    lower: lowerBound(lower),
    ...(Number.isFinite(upper) ? { upper: new Date(upper).toISOString() } : {}),
  };
  const filter = {
    [filterOf[field]]: bounds,
    ...(types.length > 0 ? { event_type: types } : {}),
    ...(categories.length > 0 ? { event_category: categories } : {}),
  };
  return {
    filter: JSON.stringify(filter),
    ...(sorted ? { sort_by: field } : {}),
    include_notes: 'true',
    include_files: String(files),
    ...pageParameters(lower, upper),
  };
};

const dateIn = (field: keyof typeof memberOf) => (row: unknown) =>
  isObject(row) ? readInstant(row[memberOf[field]]) : undefined;

const maxRemembered = 10_000;

const versionOf = ({ id, updatedAt }: SiteEvent): string => `${id} ${updatedAt}`;

/** Reads the events of pages, oldest first, whatever the site's order. Versions that earlier pages of this run contained are left out. */
const eventReader = (keyOf: ReturnType<typeof dateIn>, report: ListReport) => {
  const before = new Set<string>();
  return (rows: readonly unknown[]): readonly EventRow[] => {
    const ordered = rows.toSorted((a, b) => (keyOf(a) ?? 0) - (keyOf(b) ?? 0));
    if (before.size > maxRemembered) before.clear();
    return ordered.flatMap((row): EventRow[] => {
      const event = readEvent(row);
      if (!event || event.isPlaceUnreadable) report.unreadable(idOf(row));
      if (!event || before.has(versionOf(event))) return [];
      before.add(versionOf(event));
      return [{ event, row }];
    });
  };
};

/** Publishes part after part. */
const publishAll = async (
  deps: PullEventsDependencies,
  settings: DatedSettings,
  displays: ReadonlyMap<string, string>,
): Promise<PullEventsResult> => {
  const { config, publish } = deps;
  const keptState = await readKeptState({ ...deps, actionId: 'pull_events' }, datedStateSchema);
  const report = createListReport(deps, words);
  const keyOf = dateIn(config.filter_date_field);
  const eventsIn = eventReader(keyOf, report);
  let extracted = 0;
  const list = {
    path,
    keyOf,
    queryOf: (request: DatedRequest) => eventsQuery(config, request),
    async publish(rows: readonly unknown[]) {
      const events = eventsIn(rows);
      await publish(events, { displays, withFiles: config.include_attachments });
      extracted += events.length;
    },
  };
  const { isDone, pages } = await readDated({ ...deps, settings, keptState, report }, list).finally(report.end);
  return { ...(isDone ? {} : { status: 'in_progress' }), events_extracted: extracted, pages_read: pages };
};

/**
 * Puts the events of a site on the bus, each in its last version (platform contract, `pull_events`). The progress of the listing is saved after
 * each page; the watermark moves at its end.
 * @throws RelayError of the site, the state and the bus
 */
export const pullEvents = async (deps: PullEventsDependencies): Promise<PullEventsResult> => {
  const { config } = deps;
  const types = await lookUpTypes(deps, config);
  const choice = choose(config, types);
  await reportSlugs(deps, choice);
  const nothing = { events_extracted: 0, pages_read: 0 };
  if (choice.skipped) return { ...nothing, skipped_reason: choice.skipped };
  const settings = settingsOf(deps, choice.chosen);
  return settings.start < settings.end ? publishAll(deps, settings, types.displays) : nothing;
};

type EventsContext = ActionContext<
  PullEventsConfig,
  unknown,
  Pick<SiteDependencies, 'openReader' | 'bus' | 'deadLetters' | 'siteEventsTopic' | 'overlapMs' | 'lateMs'>
>;

/** The action `pull_events`: puts the events of a site, and their later versions, on the bus. */
export const action_pull_events = defineAction({
  type: 'pull',
  config: pullEventsConfig,
  title: 'Pull events',
  description: 'Copies the events of the site to the platform, with their notes, changes and files.',
  run: async (context: EventsContext): Promise<PullEventsResult> => {
    const { tools, clock, signal } = context;
    const opened = await openPull(context);
    const where = { ...tools, topic: tools.siteEventsTopic, integrationId: opened.integrationId, clock, signal };
    const publish = createPublishEvents(where, opened.site.root);
    return pullEvents({ ...context, ...opened, overlapMs: tools.overlapMs, lateMs: tools.lateMs, publish });
  },
});

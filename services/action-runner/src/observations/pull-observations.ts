import { defineAction, type StateValue } from '@ranger-relay/actions';
import { createSourceDirectory } from '../mapping/source-directory.ts';
import { maxNames } from '../pull/coverage.ts';
import { readKeptState, settingsHash } from '../pull/kept-state.ts';
import { createListReport, isDue, maxNamed } from '../pull/notices.ts';
import { openPull, windowOf } from '../pull/open-pull.ts';
import { isTimeUp } from '../pull/read-ranges.ts';
import type { SiteDependencies } from '../tools.ts';
import { type PullContext, pullObservationsConfig, type PullDependencies } from './dependencies.ts';
import { beginRun, type PlanSettings } from './plan.ts';
import { readPages } from './read-pages.ts';
import { sourcesOfGroups } from './sources.ts';
import { type PullState, pullStateSchema } from './state.ts';

/** Output of the action (platform contract, `pull_observations`). */
export interface PullResult {
  readonly status: 'complete' | 'in_progress' | 'skipped_no_sources';
  readonly observations_extracted: number;
  /** Number of parts that the site refused in this run. */
  readonly units_failed: number;
  readonly filter_active: boolean;
  readonly sources_resolved: number;
  /** Number of pages of observations requested from the site in this run. */
  readonly pages_read: number;
}

const dayMs = 86_400_000;
/** After this many runs in a row without a page, the next run waits for the schedule. */
const maxRunsWithoutPage = 3;

const words = {
  rows: 'observations',
  remedy: 'choose subject groups to read each source by itself',
  unreadable: 'those without a time or a place that can be read are left out',
};

const dependenciesOf = async (context: PullContext): Promise<PullDependencies> => {
  const opened = await openPull(context);
  let told = false;
  const onMore = (): void => {
    if (!told)
      context.feed.warning('The site listed sources on more than one page; sources of later pages are skipped');
    told = true;
  };
  const { sourceMemory: memory } = context.tools;
  const directory = createSourceDirectory({
    ...context,
    ...opened,
    memory,
    onMore,
    isTimeUp: () => isTimeUp(context),
  });
  return { context, ...opened, directory, onMore };
};

const settingsOf = ({ context, site }: PullDependencies, sources: readonly (string | null)[]): PlanSettings => {
  const { config, tools } = context;
  const { subject_group_ids: groups, subwindow_days: days, force_run_since_start: forced } = config;
  const { start, end } = windowOf(config);
  const bounded = Number.isFinite(end) ? [end] : [];
  return {
    start,
    end,
    partMs: days * dayMs,
    forced,
    sources,
    hash: settingsHash(site.root, start, groups.toSorted(), ...bounded),
    overlapMs: tools.overlapMs,
    lateMs: tools.lateMs,
  };
};

const reportArrivals = async ({ state, feed, clock, tools }: PullContext): Promise<void> => {
  if (await isDue({ state, clock }, 'arrival_ignored', dayMs))
    feed.warning('The site does not filter by arrival; rows that arrive later than PULL_LATE are missed', {
      pull_late_seconds: tools.lateMs / 1_000,
    });
};

const reportMany = async ({ state, feed, clock }: PullContext, sources: number): Promise<void> => {
  if (sources > maxNames && (await isDue({ state, clock }, 'many_sources', dayMs)))
    feed.warning('The groups have too many sources to detect new ones; earlier rows of new sources are not pulled', {
      sources,
      limit: maxNames,
    });
};

const goOnLater = ({ config, goOn }: PullContext, { runs_without_page: fruitless }: PullState): void => {
  if (config.continue_immediately && fruitless < maxRunsWithoutPage) goOn();
};

/** Pulls observations of the site onto the bus, page by page, and continues where the previous run stopped. */
export const pullObservations = async (context: PullContext): Promise<PullResult> => {
  const { subject_group_ids: groups } = context.config;
  const deps = await dependenciesOf(context);
  const sources = groups.length === 0 ? [null] : await sourcesOfGroups(deps, groups);
  const settings = settingsOf(deps, sources);
  const result = {
    observations_extracted: 0,
    units_failed: 0,
    filter_active: groups.length > 0,
    sources_resolved: groups.length > 0 ? sources.length : 0,
    pages_read: 0,
  };
  if (settings.start >= settings.end) return { status: 'complete', ...result };
  if (sources.length === 0) {
    context.feed.error('The subject groups have no sources; nothing was pulled', { subject_group_ids: groups });
    return { status: 'skipped_no_sources', ...result };
  }
  const keptState = await readKeptState({ ...context, ...deps }, pullStateSchema);
  await reportMany(context, sources.length);
  const skipped: StateValue[] = [];
  let isArrivalIgnored = false;
  const report = createListReport(context, words);
  const reading = {
    ...deps,
    settings,
    keptState,
    report,
    onArrivalIgnored: () => void (isArrivalIgnored = true),
    onSkipped: (range: StateValue) => void skipped.push(range),
  };
  const progress = await readPages(reading, beginRun(keptState.first, settings)).finally(async () => {
    await report.end();
    if (isArrivalIgnored) await reportArrivals(context).catch(() => undefined);
    if (skipped.length > 0)
      context.feed.warning('The site refused parts of the pull; they were skipped', {
        units_failed: skipped.length,
        parts: skipped.slice(0, maxNamed),
      });
  });
  const { state, isDone, extracted, pages } = progress;
  if (!isDone) goOnLater(context, state);
  return {
    ...result,
    status: isDone ? 'complete' : 'in_progress',
    observations_extracted: extracted,
    units_failed: skipped.length,
    pages_read: pages,
  };
};

/** The action `pull_observations`. */
export const pullObservationsAction = defineAction<typeof pullObservationsConfig, never, SiteDependencies>({
  type: 'pull',
  title: 'Pull observations',
  description: 'Reads the positions of the site’s sources and forwards them to the platform.',
  config: pullObservationsConfig,
  run: pullObservations,
});

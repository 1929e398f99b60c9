import { defineAction } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { createSourceDirectory } from '../mapping/source-directory.ts';
import type { SiteTools } from '../tools.ts';
import { pullObservationsConfig } from './config.ts';
import { unitOf, type Cursor } from './cursor.ts';
import type { PullContext, PullParts } from './parts.ts';
import { planRun } from './plan.ts';
import { runUnits, type Progress } from './run-units.ts';

/** Output of the action (platform contract, `pull_observations`). */
export interface PullResult {
  readonly status: 'complete' | 'in_progress' | 'skipped_no_sources';
  readonly observations_extracted: number;
  /** Parts that the site refuses, since the pull began. */
  readonly units_failed: number;
  readonly filter_active: boolean;
  readonly sources_resolved: number;
}

/** Runs in a row without a finished unit after which the schedule decides again. */
const mostFruitless = 3;

const resultOf = (
  { cursor, extracted }: Pick<Progress, 'cursor' | 'extracted'>,
  status: PullResult['status'],
): PullResult => {
  const sources = cursor.sources.filter((source) => source !== null);
  return {
    status,
    observations_extracted: extracted,
    units_failed: cursor.units_failed,
    filter_active: sources.length > 0,
    sources_resolved: sources.length,
  };
};

const partsOf = async (context: PullContext): Promise<PullParts> => {
  const { tools, integration, signal, log, feed, actionId, clock } = context;
  if (integration.id === null) throw new RelayError('integration_unknown', { details: { integration: actionId } });
  const reader = tools.openReader(integration, await context.configOf('auth'), signal);
  let told = false;
  const onMore = (): void => {
    if (!told) feed.warning('The site listed sources on more than one page; those of later pages are left out');
    told = true;
  };
  const directory = createSourceDirectory({ reader, log, signal, clock, onMore });
  return { context, integrationId: integration.id, reader, directory, onMore };
};

const finish = async ({ context: { state, feed } }: PullParts, progress: Progress): Promise<PullResult> => {
  const { cursor, passedOver } = progress;
  await state.finish(Date.parse(cursor.end));
  if (cursor.units_failed > 0)
    feed.warning('The site refused parts of the pull; they were left out', {
      units_failed: cursor.units_failed,
      parts: passedOver,
    });
  return resultOf(progress, 'complete');
};

const goOnLater = ({ config, goOn }: PullContext, { no_progress_count: fruitless }: Cursor): void => {
  if (config.continue_immediately && fruitless < mostFruitless) goOn();
};

/** Pulls observations of the site onto the bus, part by part, and goes on where the run before has stopped. */
export const pullObservations = async (context: PullContext): Promise<PullResult> => {
  const parts = await partsOf(context);
  const plan = await planRun(parts);
  const { subject_group_ids: groups } = context.config;
  const none = { observations_extracted: 0, units_failed: 0, filter_active: groups.length > 0, sources_resolved: 0 };
  if (plan.kind === 'nothing') return { status: 'complete', ...none };
  if (plan.kind === 'no_sources') {
    context.feed.error('The subject groups have no sources; nothing was pulled', { subject_group_ids: groups });
    return { status: 'skipped_no_sources', ...none };
  }
  const progress = await runUnits(parts, plan.cursor);
  if (!unitOf(progress.cursor)) return finish(parts, progress);
  goOnLater(context, progress.cursor);
  return resultOf(progress, 'in_progress');
};

/** The action `pull_observations`. */
export const pullObservationsAction = defineAction<typeof pullObservationsConfig, never, SiteTools>({
  type: 'pull',
  title: 'Pull observations',
  description: 'Reads the positions of the site’s sources and passes them on to the platform.',
  config: pullObservationsConfig,
  run: pullObservations,
});

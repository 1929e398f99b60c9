import { stateKey } from '@ranger-relay/actions';
import { instantIn } from './pull-fields.ts';
import { firstCursor, readCursor, type Cursor } from './cursor.ts';
import type { PullParts } from './parts.ts';
import { sourcesOfGroups } from './sources.ts';

/** What a run is to do. */
export type Plan =
  | { readonly kind: 'pull'; readonly cursor: Cursor }
  /** Nothing lies between start and end. */
  | { readonly kind: 'nothing' }
  /** The groups have no sources. */
  | { readonly kind: 'no_sources' };

/** From where to where a new pull goes, ms since 1970. What is yet to come is for a later run, or nobody would ever ask for it. */
const spanOf = async ({ context: { config, state, clock } }: PullParts): Promise<readonly [number, number]> => {
  const watermark = config.force_run_since_start ? undefined : await state.watermark();
  const start = watermark ?? instantIn(config.start_datetime) ?? 0;
  return [start, Math.min(instantIn(config.end_datetime) ?? Infinity, clock.now())];
};

const newPlan = async (parts: PullParts): Promise<Plan> => {
  const { subject_group_ids: groups, subwindow_days: days } = parts.context.config;
  const [start, end] = await spanOf(parts);
  if (start >= end) return { kind: 'nothing' };
  const sources = groups.length === 0 ? [null] : await sourcesOfGroups(parts, groups);
  return sources.length === 0
    ? { kind: 'no_sources' }
    : { kind: 'pull', cursor: firstCursor(start, end, days, sources) };
};

/** Where the run goes on, or begins: a cursor that is kept decides alone, whatever was configured since. */
export const planRun = async (parts: PullParts): Promise<Plan> => {
  const { state, actionId } = parts.context;
  const kept = await state.cursor();
  if (!kept) return newPlan(parts);
  return { kind: 'pull', cursor: readCursor(kept, stateKey.of(parts.integrationId, actionId)) };
};

import { isDue } from '../pull/notices.ts';
import type { Choice } from './choose.ts';
import type { PullParts, TakingParts } from './parts.ts';

const hourMs = 3_600_000;

/**
 * Tells of configured slugs that the site does not know, at most hourly (platform contract, `pull_events`): a WARNING when the run is
 * skipped for it, else an INFO entry.
 * @throws RelayError of the state
 */
export const tellOfSlugs = async (parts: PullParts, choice: Choice): Promise<void> => {
  const { unknownTypes, unknownCategories, skipped } = choice;
  if (unknownTypes.length + unknownCategories.length === 0) return;
  if (!(await isDue(parts, skipped ?? 'unknown_slugs', hourMs))) return;
  const data = {
    ...(unknownTypes.length > 0 ? { unknown_event_types: unknownTypes } : {}),
    ...(unknownCategories.length > 0 ? { unknown_event_categories: unknownCategories } : {}),
  };
  if (skipped === undefined) parts.feed.info('The site does not know some of the configured slugs', data);
  else {
    const what = skipped === 'no_resolvable_event_types' ? 'event types' : 'event categories';
    parts.feed.warning(`No events are pulled: the site knows none of the configured ${what}`, {
      ...data,
      skipped_reason: skipped,
    });
  }
};

/** Tells of what the platform refused in this run. */
export const tellOfRefusals = ({ feed, refusals }: TakingParts): void => {
  if (refusals.count > 0)
    feed.warning('The platform refuses some events or changes; they are in the dead letters', {
      refused: refusals.count,
    });
};

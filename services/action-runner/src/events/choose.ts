import type { PullEventsConfig } from './dependencies.ts';
import type { EventTypes } from './event-types.ts';

/** Ids to filter by; an empty list is no filter. */
export interface Chosen {
  readonly typeIds: readonly string[];
  readonly categoryIds: readonly string[];
}

/** Why nothing can be pulled: all configured slugs are unknown, and without a filter the site would return every event. */
export type SkippedReason = 'no_resolvable_event_types' | 'no_resolvable_event_categories';

/** Result of resolving the configured slugs. */
export interface Choice {
  readonly chosen: Chosen;
  readonly unknownTypes: readonly string[];
  readonly unknownCategories: readonly string[];
  readonly skipped: SkippedReason | undefined;
}

const resolve = (slugs: readonly string[], ids: ReadonlyMap<string, readonly string[]>) => ({
  found: [...new Set(slugs.flatMap((slug) => ids.get(slug) ?? []))],
  unknown: slugs.filter((slug) => !ids.has(slug)),
});

/** Resolves the configured types and categories against those of the site. */
export const choose = (
  { event_types: types, event_categories: categories }: Pick<PullEventsConfig, 'event_types' | 'event_categories'>,
  known: Pick<EventTypes, 'typeIds' | 'categoryIds'>,
): Choice => {
  const byType = resolve(types, known.typeIds);
  const byCategory = resolve(categories, known.categoryIds);
  const noTypes = types.length > 0 && byType.found.length === 0;
  const noCategories = categories.length > 0 && byCategory.found.length === 0;
  return {
    chosen: { typeIds: byType.found, categoryIds: byCategory.found },
    unknownTypes: byType.unknown,
    unknownCategories: byCategory.unknown,
    skipped: noTypes ? 'no_resolvable_event_types' : noCategories ? 'no_resolvable_event_categories' : undefined,
  };
};

import { type RelayError, toRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { isLastingRefusal } from '../mapping/answers.ts';
import { idText } from '../mapping/site-event.ts';
import type { PullEventsConfig, PullEventsDependencies } from './dependencies.ts';

/** The site's types and categories, by slug. A type may exist in an old and a new form, each with its own id. */
export interface EventTypes {
  readonly typeIds: ReadonlyMap<string, readonly string[]>;
  readonly categoryIds: ReadonlyMap<string, readonly string[]>;
  readonly displays: ReadonlyMap<string, string>;
}

type WantedSlugs = Pick<PullEventsConfig, 'event_types' | 'event_categories'>;

type LookUpDependencies = Pick<PullEventsDependencies, 'site' | 'signal'>;

const named = { id: idText, value: z.string().min(1) };
const categorySchema = z.looseObject(named);
const typeSchema = z.looseObject({
  ...named,
  display: z.string().min(1).optional().catch(undefined),
  category: categorySchema.optional().catch(undefined),
});

/** A list of the site, and why it refuses it. */
interface Listed {
  readonly rows: readonly unknown[];
  readonly refusal?: RelayError;
}

const listOf = async ({ site, signal }: LookUpDependencies, path: string): Promise<Listed> => {
  const rows: unknown[] = [];
  try {
    for await (const page of site.pages(path, {}, { signal })) rows.push(...page);
    return { rows };
  } catch (error) {
    if (!isLastingRefusal(error)) throw error;
    return { rows, refusal: toRelayError(error) };
  }
};

const knowsNone = (slugs: readonly string[], ids: ReadonlyMap<string, unknown>): boolean =>
  slugs.length > 0 && !slugs.some((slug) => ids.has(slug));

const readable = <T>(schema: z.ZodType<T>, rows: readonly unknown[]): T[] =>
  rows.flatMap((row) => {
    const { data } = schema.safeParse(row);
    return data === undefined ? [] : [data];
  });

const add = (ids: Map<string, string[]>, { value, id }: { readonly value: string; readonly id: string }): void => {
  const known = ids.get(value) ?? [];
  if (!known.includes(id)) ids.set(value, [...known, id]);
};

/**
 * Requests the types in both forms, and the categories when no type names a wanted one (platform contract, site pull actions). A list that the
 * site permanently refuses counts as empty, because older sites have one form only, and without slugs the types only give titles.
 * @throws RelayError of the site when it cannot answer now, rejects the credentials, or refuses both forms and so tells none of the slugs
 */
export const lookUpTypes = async (
  deps: LookUpDependencies,
  { event_types: wantedTypes, event_categories: wantedCategories }: WantedSlugs,
): Promise<EventTypes> => {
  const [old, present] = await Promise.all([
    listOf(deps, 'activity/events/eventtypes'),
    listOf(deps, '/api/v2.0/activity/eventtypes'),
  ]);
  const typeIds = new Map<string, string[]>();
  const categoryIds = new Map<string, string[]>();
  const displays = new Map<string, string>();
  for (const type of readable(typeSchema, [...old.rows, ...present.rows])) {
    add(typeIds, type);
    if (type.category) add(categoryIds, type.category);
    if (type.display !== undefined && !displays.has(type.value)) displays.set(type.value, type.display);
  }
  if (wantedCategories.some((slug) => !categoryIds.has(slug))) {
    const categories = await listOf(deps, 'activity/events/categories');
    for (const category of readable(categorySchema, categories.rows)) add(categoryIds, category);
  }
  const isUnknown = knowsNone(wantedTypes, typeIds) || knowsNone(wantedCategories, categoryIds);
  if (isUnknown && old.refusal && present.refusal) throw old.refusal;
  return { typeIds, categoryIds, displays };
};

/** Ids to filter events by; an empty list is no filter. */
export type Chosen = Readonly<Record<'types' | 'categories', readonly string[]>>;

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
  { event_types: types, event_categories: categories }: WantedSlugs,
  known: Pick<EventTypes, 'typeIds' | 'categoryIds'>,
): Choice => {
  const byType = resolve(types, known.typeIds);
  const byCategory = resolve(categories, known.categoryIds);
  const noTypes = types.length > 0 && byType.found.length === 0;
  const noCategories = categories.length > 0 && byCategory.found.length === 0;
  return {
    chosen: { types: byType.found, categories: byCategory.found },
    unknownTypes: byType.unknown,
    unknownCategories: byCategory.unknown,
    skipped: noTypes ? 'no_resolvable_event_types' : noCategories ? 'no_resolvable_event_categories' : undefined,
  };
};

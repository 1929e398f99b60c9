import type { EventTypeFacts, Named } from './event-types.ts';
import { inOrder, sorted } from './section.ts';
import { categoryPermissions } from './user.ts';

/** Categories by slug; where several name one, the one with a display of its own wins. */
const bySlug = (categories: readonly Named[], types: readonly EventTypeFacts[]): ReadonlyMap<string, Named> => {
  const found = new Map<string, Named>();
  for (const category of [...types.flatMap(({ category }) => category ?? []), ...categories]) {
    const known = found.get(category.slug);
    if (!known || known.display === known.slug) found.set(category.slug, category);
  }
  return found;
};

/** Slugs of all categories. */
export const categorySlugs = (categories: readonly Named[], types: readonly EventTypeFacts[]): readonly string[] =>
  sorted(bySlug(categories, types).keys());

/** Each category with its types and with what the user may do with them. */
export const eventCategories = (
  categories: readonly Named[],
  types: readonly EventTypeFacts[],
  me: unknown,
): Readonly<Record<string, object>> =>
  inOrder(
    [...bySlug(categories, types).values()].map(({ slug, display }) => [
      display,
      {
        'Event Types': sorted(types.flatMap((type) => (type.category?.slug === slug ? type.display : []))),
        Permissions: categoryPermissions(me, slug),
      },
    ]),
  );

import { z } from 'zod';
import { coverageSchema, everything, followNames, maxNames, present, type Followed } from '../pull/coverage.ts';
import { instant } from '../pull/position.ts';
import { rangeMembers, within } from '../pull/ranges.ts';
import type { Chosen } from './choose.ts';

const names = z.array(z.string()).max(maxNames).optional();

export const eventsRangeSchema = z.object({
  ...rangeMembers,
  /** Of these types and categories; missing for those of the run. */
  types: names,
  categories: names,
  /** The site does not sort: each request must fit on one page. */
  unsorted: z.literal(true).optional(),
});

/** The part that the listings cover. */
export const listedSchema = z.object({
  start: instant,
  /** Ids; missing when there are too many. */
  types: coverageSchema.optional(),
  categories: coverageSchema.optional(),
});

export type EventsRange = Readonly<z.output<typeof eventsRangeSchema>>;
export type EventsListed = Readonly<z.output<typeof listedSchema>>;

/** The part that a run requests; ids as in `Chosen`. */
export interface Wanted extends Chosen {
  readonly start: number;
  /** How far a listing starts before its watermark, ms. */
  readonly backMs: number;
}

const namesOf = (ids: readonly string[]): readonly string[] => (ids.length > 0 ? ids : [everything]);
const idsOf = (known: readonly string[]): readonly string[] => known.filter((name) => name !== everything);

/** The ids to list a range with. */
export const chosenOf = ({ types, categories }: EventsRange, chosen: Chosen): Chosen => ({
  typeIds: types ? idsOf(types) : chosen.typeIds,
  categoryIds: categories ? idsOf(categories) : chosen.categoryIds,
});

/** For a name that was covered before, only newer rows are missing. */
const lowerOf = (joined: Followed['joined'], { start, backMs }: Wanted): number =>
  Math.max(start, Math.min(...[...joined.values()].map((since) => (since === undefined ? start : since - backMs))));

const gapsOf = (member: 'types' | 'categories', { joined }: Followed, wanted: Wanted): readonly EventsRange[] =>
  joined.size > 0 ? [{ from: lowerOf(joined, wanted), to: null, [member]: [...joined.keys()] }] : [];

/**
 * Compares what a run requests with what the listings have covered: events of a type that the site added later, or
 * that was added to the settings, lie before the watermark.
 * @param watermark up to where removed names were covered; undefined when that is not known
 */
export const compareWanted = (
  listed: EventsListed | undefined,
  wanted: Wanted,
  watermark: number | undefined,
): { readonly listed: EventsListed; readonly gaps: readonly EventsRange[] } => {
  const isEarlier = listed !== undefined && wanted.start < listed.start;
  const follow = (member: 'types' | 'categories', ids: readonly string[]): Followed => {
    const kept = listed?.[member];
    return followNames(isEarlier && kept ? present(kept) : kept, namesOf(ids), isEarlier ? undefined : watermark);
  };
  const [types, categories] = [follow('types', wanted.typeIds), follow('categories', wanted.categoryIds)];
  const now = {
    start: wanted.start,
    ...(types.coverage ? { types: types.coverage } : {}),
    ...(categories.coverage ? { categories: categories.coverage } : {}),
  };
  const before = isEarlier ? [{ from: wanted.start, to: listed.start }] : [];
  return {
    listed: now,
    gaps: [...before, ...gapsOf('types', types, wanted), ...gapsOf('categories', categories, wanted)],
  };
};

/** The known ids that are still requested. An empty `ids` requests all; `everything` is narrowed to the requested ids. */
const wantedOf = (known: readonly string[], ids: readonly string[]): readonly string[] => {
  if (ids.length === 0) return known;
  return known.includes(everything) ? ids : known.filter((id) => ids.includes(id));
};

/** The part of a range that is still requested. */
export const wantedPart = (range: EventsRange, { typeIds, categoryIds, start }: Wanted): readonly EventsRange[] => {
  const { types, categories } = range;
  const part = {
    ...range,
    ...(types ? { types: [...wantedOf(types, typeIds)] } : {}),
    ...(categories ? { categories: [...wantedOf(categories, categoryIds)] } : {}),
  };
  return part.types?.length === 0 || part.categories?.length === 0 ? [] : within(part, start, Infinity);
};

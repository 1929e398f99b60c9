import { z } from 'zod';
import { coverageSchema, everything, followNames, maxNames, present, type Followed } from '../pull/coverage.ts';
import { instant } from '../pull/position.ts';
import type { Chosen } from './choose.ts';

const names = z.array(z.string()).max(maxNames).optional();

/** A part that no listing has covered, by the configured date field; without names, those of the run apply. */
export const gapSchema = z.object({ lower: instant, upper: instant.nullable(), types: names, categories: names });

/** The part that the listings cover. */
export const listedSchema = z.object({
  start: instant,
  /** Ids; missing when there are too many. */
  types: coverageSchema.optional(),
  categories: coverageSchema.optional(),
});

export type EventsGap = Readonly<z.output<typeof gapSchema>>;
export type EventsListed = Readonly<z.output<typeof listedSchema>>;

/** The part that a run requests; ids as in `Chosen`. */
export interface Wanted extends Chosen {
  readonly start: number;
  /** How far a listing starts before its watermark, ms. */
  readonly backMs: number;
}

const namesOf = (ids: readonly string[]): readonly string[] => (ids.length > 0 ? ids : [everything]);
const idsOf = (known: readonly string[]): readonly string[] => known.filter((name) => name !== everything);

/** The ids to list a gap with. */
export const chosenOf = ({ types, categories }: EventsGap, chosen: Chosen): Chosen => ({
  typeIds: types ? idsOf(types) : chosen.typeIds,
  categoryIds: categories ? idsOf(categories) : chosen.categoryIds,
});

/** For a name that was covered before, only newer rows are missing. */
const lowerOf = (joined: Followed['joined'], { start, backMs }: Wanted): number =>
  Math.max(start, Math.min(...[...joined.values()].map((since) => (since === undefined ? start : since - backMs))));

const gapsOf = (member: 'types' | 'categories', { joined }: Followed, wanted: Wanted): readonly EventsGap[] =>
  joined.size > 0 ? [{ lower: lowerOf(joined, wanted), upper: null, [member]: [...joined.keys()] }] : [];

/**
 * Compares what a run requests with what the listings have covered: events of a type that the site added later, or
 * that was added to the settings, lie before the watermark.
 * @param watermark up to where removed names were covered; undefined when that is not known
 */
export const compareWanted = (
  listed: EventsListed | undefined,
  wanted: Wanted,
  watermark: number | undefined,
): { readonly listed: EventsListed; readonly gaps: readonly EventsGap[] } => {
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
  const before = isEarlier ? [{ lower: wanted.start, upper: listed.start }] : [];
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

/** The gaps that are still requested. */
export const stillWanted = (
  gaps: readonly EventsGap[],
  { typeIds, categoryIds, start }: Wanted,
): readonly EventsGap[] =>
  gaps.flatMap(({ lower, upper, types, categories }) => {
    const gap = {
      lower: Math.max(lower, start),
      upper,
      ...(types ? { types: [...wantedOf(types, typeIds)] } : {}),
      ...(categories ? { categories: [...wantedOf(categories, categoryIds)] } : {}),
    };
    const isEmpty = gap.types?.length === 0 || gap.categories?.length === 0 || gap.lower >= (upper ?? Infinity);
    return isEmpty ? [] : [gap];
  });

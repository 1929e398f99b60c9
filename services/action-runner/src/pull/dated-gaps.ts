import { z } from 'zod';
import { coverageSchema, everything, followNames, maxNames, present, type Followed } from './coverage.ts';
import { instant } from './position.ts';
import { rangeMembers, within } from './ranges.ts';

/** Names to filter a list by, by the filter; of events, the ids of types and those of categories. An empty list is no filter. */
export type Names = Readonly<Record<string, readonly string[]>>;

export const datedRangeSchema = z.object({
  ...rangeMembers,
  /** Of these names, by the filter; a filter that is missing is that of the run. */
  names: z.record(z.string(), z.array(z.string()).max(maxNames)).optional(),
  /** The site does not sort: each request must fit on one page. */
  unsorted: z.literal(true).optional(),
});

/** The part that the listings cover. */
export const listedSchema = z.object({
  start: instant,
  /** By the filter; missing for one with too many names. */
  names: z.record(z.string(), coverageSchema).default({}),
});

export type DatedRange = Readonly<z.output<typeof datedRangeSchema>>;
type Listed = Readonly<z.output<typeof listedSchema>>;

/** The part of a list that a run requests. */
export interface Wanted {
  /** Rows with an earlier date are ignored, ms since 1970. */
  readonly start: number;
  readonly names: Names;
  /** How far a listing starts before its watermark, ms. */
  readonly backMs: number;
}

/** The names to request a range with. */
export const namesOf = ({ names: own = {} }: Pick<DatedRange, 'names'>, names: Names): Names => ({
  ...names,
  ...Object.fromEntries(
    Object.entries(own).map(([filter, known]) => [filter, known.filter((name) => name !== everything)]),
  ),
});

/** For a name that was covered before, only newer rows are missing. */
const lowerOf = (joined: Followed['joined'], { start, backMs }: Wanted): number =>
  Math.max(start, Math.min(...[...joined.values()].map((since) => (since === undefined ? start : since - backMs))));

/**
 * Compares what a run requests with what the listings have covered: rows of a name that the site added later, or that was added to the
 * settings, lie before the watermark.
 * @param watermark up to where removed names were covered; undefined when that is not known
 */
export const compareWanted = (
  kept: Listed | undefined,
  wanted: Wanted,
  watermark: number | undefined,
): { readonly listed: Listed; readonly gaps: readonly DatedRange[] } => {
  const { start } = wanted;
  const isEarlier = kept !== undefined && start < kept.start;
  const followed = Object.entries(wanted.names).map(([filter, names]) => {
    const before = kept?.names[filter];
    const covered = isEarlier && before ? present(before) : before;
    const asked = names.length > 0 ? names : [everything];
    return [filter, followNames(covered, asked, isEarlier ? undefined : watermark)] as const;
  });
  const coverages = followed.flatMap(([filter, { coverage }]) => (coverage ? [[filter, coverage] as const] : []));
  const joining = followed.flatMap(([filter, { joined }]) => (joined.size > 0 ? [[filter, joined] as const] : []));
  return {
    listed: { start, names: Object.fromEntries(coverages) },
    gaps: [
      ...(isEarlier ? [{ from: start, to: kept.start }] : []),
      ...joining.map(([filter, joined]) => ({
        from: lowerOf(joined, wanted),
        to: null,
        names: { [filter]: [...joined.keys()] },
      })),
    ],
  };
};

/** The known names that are still requested. An empty `names` requests all; `everything` is narrowed to the requested names. */
const stillWanted = (known: readonly string[], names: readonly string[] = []): readonly string[] => {
  if (names.length === 0) return known;
  return known.includes(everything) ? names : known.filter((name) => names.includes(name));
};

/** The part of a range that is still requested. */
export const wantedPart = (range: DatedRange, { names, start }: Wanted): readonly DatedRange[] => {
  if (!range.names) return within(range, start, Infinity);
  const left = Object.entries(range.names).map(([filter, known]) => [filter, [...stillWanted(known, names[filter])]]);
  const part: DatedRange = { ...range, names: Object.fromEntries(left) as NonNullable<DatedRange['names']> };
  return Object.values(part.names ?? {}).some(({ length }) => length === 0) ? [] : within(part, start, Infinity);
};

import { everything, followNames, present } from '../pull/coverage.ts';
import { endOf, isWaiting, storedEnd, within, without } from '../pull/ranges.ts';
import type { PlanSettings } from './plan.ts';
import type { Listed, PullRange, PullState } from './state.ts';

const nameOf = (source: string | null): string => source ?? everything;

/** Sources of a range that a run still wants, sorted. */
export const sourcesOf = (
  { source, sources: own, after }: Pick<PullRange, 'source' | 'sources' | 'after'>,
  { sources }: Pick<PlanSettings, 'sources'>,
): readonly (string | null)[] =>
  sources.filter(
    (each) =>
      (source === undefined || each === source) &&
      (own === undefined || own.includes(each) || own.includes(null)) &&
      (after === undefined || (each !== null && each > after)),
  );

/** The part that the listings of a run cover, and the ranges that no earlier one has covered. */
export interface Compared {
  readonly listed: Listed;
  readonly gaps: readonly PullRange[];
}

const windowGaps = ({ start, end }: PlanSettings, listed: Listed): readonly PullRange[] => [
  ...within({ from: start, to: listed.start }, start, end),
  ...(listed.end === null ? [] : within({ from: listed.end, to: null }, start, end)),
];

/**
 * A new source lacks the rows of the whole window, but for those of ranges of all sources; a returning one lacks only the rows saved since
 * it left.
 */
const sourceGaps = (
  settings: PlanSettings,
  joined: ReadonlyMap<string, number | undefined>,
  planned: readonly PullRange[],
): readonly PullRange[] => {
  const { start, end, overlapMs, sources } = settings;
  const gaps = sources
    .filter((source) => joined.has(nameOf(source)))
    .flatMap((source) => {
      const left = joined.get(nameOf(source));
      const whole = {
        from: start,
        to: storedEnd(end),
        ...(left === undefined ? {} : { saved_from: left - overlapMs }),
      };
      const covering = planned.filter((range) => sourcesOf(range, { sources: [source] }).length > 0);
      return without(whole, covering).map((range) => ({ source, range }));
    });
  return [...Map.groupBy(gaps, ({ range }) => JSON.stringify(range)).values()].flatMap((same) =>
    same[0] ? [{ ...same[0].range, sources: same.map(({ source }) => source) }] : [],
  );
};

const isOfAll = ({ listing, source, sources, saved_from: savedFrom }: PullRange): boolean =>
  listing === undefined && source === undefined && sources === undefined && savedFrom === undefined;

/** Compares the window and the sources of a run with those of the runs before. */
export const compareListed = (kept: PullState, settings: PlanSettings): Compared => {
  const { listed, ranges, last_execution: watermark } = kept;
  const { start, end, sources } = settings;
  const ofWindow = listed ? windowGaps(settings, listed) : [];
  // Removed sources were covered in the former window only.
  const isOver = ofWindow.length > 0 || ranges.some((range) => !range.listing && !isWaiting(range));
  const before = listed?.sources && (ofWindow.length > 0 ? present(listed.sources) : listed.sources);
  const { coverage, joined } = followNames(before, sources.map(nameOf), isOver ? undefined : watermark);
  const now: Listed = { start, end: storedEnd(end), ...(coverage ? { sources: coverage } : {}) };
  const planned = [...ranges, ...ofWindow].filter(isOfAll);
  return { listed: now, gaps: listed ? [...ofWindow, ...sourceGaps(settings, joined, planned)] : [] };
};

/** The part of a range that a run still wants. */
export const wantedPart = (range: PullRange, settings: PlanSettings): readonly PullRange[] =>
  sourcesOf(range, settings).length > 0 ? within(range, settings.start, settings.end) : [];

/** End of a part of time; the last one stays open for rows recorded by a clock that runs ahead. */
const partEnd = (range: PullRange, { partMs }: PlanSettings, now: number): number => {
  const next = range.from + partMs;
  return range.listing || next >= now ? endOf(range) : Math.min(next, endOf(range));
};

/** A range divided: its first part of time of its first source, around what the site fails on, then the rest. */
export const divided = (
  range: PullRange,
  settings: PlanSettings,
  { now, waiting }: { readonly now: number; readonly waiting: (first: PullRange) => readonly PullRange[] },
): readonly PullRange[] => {
  const [source, ...others] = sourcesOf(range, settings);
  if (source === undefined) return [];
  const end = partEnd(range, settings, now);
  const { sources: _, after: __, ...bare } = range;
  const first: PullRange = { ...bare, to: storedEnd(end), source };
  return [
    ...without(first, waiting(first)),
    ...(others.length > 0 && source !== null ? [{ ...range, to: storedEnd(end), after: source }] : []),
    ...(end < endOf(range) ? [{ ...range, from: end, after: undefined }] : []),
  ];
};

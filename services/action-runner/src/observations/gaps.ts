import { everything, followNames, present } from '../pull/coverage.ts';
import type { PlanSettings } from './plan.ts';
import type { Backfill, Gap, Listed, PullState } from './state.ts';

const orNull = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);
const orInfinity = (ms: number | null | undefined): number => ms ?? Infinity;

const nameOf = (source: string | null): string => source ?? everything;

/** The part that the listings of a run cover, and the gaps that no earlier listing or back-fill has covered. */
export interface Compared {
  readonly listed: Listed;
  readonly gaps: readonly Gap[];
}

const windowGaps = ({ start, end }: PlanSettings, listed: Listed): readonly Gap[] =>
  [
    { from: start, to: Math.min(end, listed.start) },
    { from: Math.max(start, orInfinity(listed.end)), to: end },
  ].flatMap(({ from, to }) => (from < to ? [{ from, until: orNull(to) }] : []));

/** A new source lacks the rows of the whole window; a returning one lacks only the rows saved since it left. */
const sourceGaps = (
  { start, end, overlapMs, sources }: PlanSettings,
  joined: ReadonlyMap<string, number | undefined>,
): readonly Gap[] => {
  const since = (source: string | null): number | undefined => joined.get(nameOf(source));
  const all = sources.filter((source) => joined.has(nameOf(source)));
  const known = all.filter((source) => since(source) !== undefined);
  const fresh = all.filter((source) => since(source) === undefined);
  const whole = { from: start, until: orNull(end) };
  const savedFrom = Math.min(...known.map((source) => since(source) ?? Infinity)) - overlapMs;
  return [
    ...(fresh.length > 0 ? [{ ...whole, sources: fresh }] : []),
    ...(known.length > 0 ? [{ ...whole, sources: known, saved_from: savedFrom }] : []),
  ];
};

/** Compares the window and the sources of a run with those of the runs before. */
export const compareListed = (kept: PullState, settings: PlanSettings): Compared => {
  const { listed, backfill, last_execution: watermark } = kept;
  const { start, end, sources } = settings;
  const ofWindow = listed ? windowGaps(settings, listed) : [];
  // Removed sources were covered in the former window only.
  const isOver = backfill !== undefined || ofWindow.length > 0;
  const before = listed?.sources && (ofWindow.length > 0 ? present(listed.sources) : listed.sources);
  const { coverage, joined } = followNames(before, sources.map(nameOf), isOver ? undefined : watermark);
  const now: Listed = { start, end: orNull(end), ...(coverage ? { sources: coverage } : {}) };
  return { listed: now, gaps: listed ? [...ofWindow, ...sourceGaps(settings, joined)] : [] };
};

/** Sources of a back-fill: its own, where null stands for all, or all that no waiting gap names. */
export const backfillSources = (
  { sources: own, next = [] }: Pick<Backfill, 'sources' | 'next'>,
  { sources }: Pick<PlanSettings, 'sources'>,
): readonly (string | null)[] => {
  const others = new Set(next.flatMap(({ hole, sources: theirs = [] }) => (hole === true ? [] : theirs)));
  return sources.filter((source) => (own ? own.includes(source) || own.includes(null) : !others.has(source)));
};

/** Creates the back-fill of a gap. */
const begin = ({ from, ...rest }: Gap, forced: boolean, next: readonly Gap[], settings: PlanSettings): Backfill => {
  const known = rest.hole === true && rest.until !== null ? { fails_until: rest.until } : {};
  const draft = {
    ...rest,
    ...known,
    part: from,
    at: from,
    forced,
    ...(next.length > 0 ? { next: [...next] } : {}),
  };
  return { ...draft, source: backfillSources(draft, settings)[0] ?? null };
};

/** Creates the back-fill of the next gap; undefined when there is none. */
export const nextBackfill = (gaps: readonly Gap[], forced: boolean, settings: PlanSettings): Backfill | undefined => {
  const [gap, ...rest] = gaps;
  if (!gap) return undefined;
  const backfill = begin(gap, forced, rest, settings);
  return backfillSources(backfill, settings).length > 0 ? backfill : nextBackfill(rest, forced, settings);
};

/** End of a back-fill, ms since 1970. */
export const backfillEnd = ({ until }: Pick<Backfill, 'until'>, { end }: PlanSettings): number =>
  Math.min(orInfinity(until), end);

const clipGap = (gap: Gap, { start, end }: PlanSettings): readonly Gap[] => {
  const [from, to] = [Math.max(gap.from, start), Math.min(orInfinity(gap.until), end)];
  return from < to ? [{ ...gap, from, until: orNull(to) }] : [];
};

/** Continues a back-fill within the current window, followed by the new gaps. */
export const goOn = (
  backfill: Backfill | undefined,
  gaps: readonly Gap[],
  settings: PlanSettings,
): Backfill | undefined => {
  const queue = [...(backfill?.next ?? []), ...gaps].flatMap((gap) => clipGap(gap, settings));
  if (!backfill) return nextBackfill(queue, false, settings);
  const [part, end] = [Math.max(backfill.part, settings.start), backfillEnd(backfill, settings)];
  const going: Backfill = {
    ...backfill,
    until: orNull(end),
    next: queue.length > 0 ? queue : undefined,
  };
  const sources = backfillSources(going, settings);
  if (part >= end || sources.length === 0) return nextBackfill(queue, backfill.forced, settings);
  return part === backfill.part ? going : { ...going, part, source: sources[0] ?? null, at: part };
};

import { areHolesDue, narrow, notNarrowed } from '../pull/narrow.ts';
import type { Ask } from './plan.ts';
import type { Gap, PullState } from './state.ts';

/** Makes the holes due again once per interval. */
export const withHoles = (
  kept: PullState,
  now: number,
): { readonly state: PullState; readonly due: readonly Gap[] } => {
  const { holes = [], holes_at: at } = kept;
  if (holes.length === 0 || !areHolesDue(at, now)) return { state: kept, due: [] };
  return { state: { ...kept, holes: undefined, holes_at: now }, due: holes };
};

/** Result for a part that the site fails on while it answers other requests. */
export type PartFailure =
  | { readonly kind: 'again'; readonly state: PullState }
  | { readonly kind: 'smaller'; readonly state: PullState }
  /** The part contains the failing row; reading continues behind it. */
  | { readonly kind: 'hole'; readonly state: PullState; readonly hole: Gap; readonly isNew: boolean };

/** The hole of a failing part; it is pulled again as a separate back-fill. */
const holeOf = ({ source, savedFrom }: Ask, from: number, to: number): Gap => ({
  from,
  until: to,
  sources: [source],
  ...(Number.isFinite(savedFrom) ? { saved_from: savedFrom } : {}),
  hole: true,
});

/** The holes whose retry brings all rows of a source that were saved from `savedFrom` on; others hide nothing from this request. */
export const holesOf = (
  { holes = [] }: PullState,
  { source, savedFrom }: Pick<Ask, 'source' | 'savedFrom'>,
): readonly { from: number; to: number }[] =>
  holes.flatMap(({ from, until, sources = [], saved_from: retriedFrom = -Infinity }) =>
    retriedFrom <= savedFrom && sources.some((other) => other === null || other === source)
      ? [{ from, to: until ?? from }]
      : [],
  );

/** Judges a failure of the site. @param now local time, by which holes are retried */
export const afterFailure = (state: PullState, ask: Ask, now: number): PartFailure => {
  const unit = state[ask.walk];
  if (!unit) return { kind: 'again', state };
  const { at } = ask;
  const judged = narrow(at, ask.to, ask.end, unit);
  if (judged.kind !== 'hole')
    return {
      kind: judged.kind,
      state: { ...state, [ask.walk]: { ...unit, source: ask.source, at, ...judged.narrowing } },
    };
  const hole = holeOf(ask, at, judged.to);
  const behind = { ...unit, source: ask.source, at: judged.to, ...notNarrowed };
  return {
    kind: 'hole',
    isNew: ask.walk !== 'backfill' || state.backfill?.hole !== true,
    hole,
    state: { ...state, [ask.walk]: behind, holes: [...(state.holes ?? []), hole], holes_at: state.holes_at ?? now },
  };
};

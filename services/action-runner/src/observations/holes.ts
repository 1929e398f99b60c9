import { areHolesDue, narrow, notNarrowed } from '../pull/narrow.ts';
import { withoutNext } from '../pull/position.ts';
import type { Ask } from './plan.ts';
import type { Gap, PullState } from './state.ts';

/** Rows that the site failed on become due again once in a while. */
export const withHoles = (
  kept: PullState,
  now: number,
): { readonly state: PullState; readonly due: readonly Gap[] } => {
  const { holes = [], holes_at: at } = kept;
  if (holes.length === 0 || !areHolesDue(at, now)) return { state: kept, due: [] };
  return { state: { ...kept, holes: undefined, holes_at: now }, due: holes };
};

/** What becomes of a part that the site fails on while it answers others. */
export type PartFailure =
  | { readonly kind: 'again'; readonly state: PullState }
  | { readonly kind: 'smaller'; readonly state: PullState }
  /** It holds the row; reading goes on behind it. */
  | { readonly kind: 'hole'; readonly state: PullState; readonly hole: Gap; readonly isNew: boolean };

/** The hole that a failing part leaves: it is pulled again as a back-fill of its own. */
const holeOf = ({ source, savedFrom }: Ask, from: number, to: number): Gap => ({
  from,
  until: to,
  sources: [source],
  ...(Number.isFinite(savedFrom) ? { saved_from: savedFrom } : {}),
  hole: true,
});

/** What of a source the site fails on. */
export const holesOf = ({ holes = [] }: PullState, source: string | null): readonly { from: number; to: number }[] =>
  holes.flatMap(({ from, until, sources }) =>
    source === null || sources?.some((other) => other === null || other === source)
      ? [{ from, to: until ?? from }]
      : [],
  );

/** Judges a failure of the site. @param now our own time, by which holes are tried again */
export const afterFailure = (state: PullState, ask: Ask, now: number): PartFailure => {
  const unit = state[ask.walk];
  if (!unit) return { kind: 'again', state };
  const at = withoutNext(ask.at);
  const judged = narrow(at.since, ask.to, ask.end, unit);
  if (judged.kind !== 'hole')
    return {
      kind: judged.kind,
      state: { ...state, [ask.walk]: { ...unit, source: ask.source, at, ...judged.narrowing } },
    };
  const hole = holeOf(ask, at.since, judged.to);
  const behind = { ...unit, source: ask.source, at: { since: judged.to }, ...notNarrowed };
  return {
    kind: 'hole',
    isNew: ask.walk !== 'backfill' || state.backfill?.hole !== true,
    hole,
    state: { ...state, [ask.walk]: behind, holes: [...(state.holes ?? []), hole], holes_at: state.holes_at ?? now },
  };
};

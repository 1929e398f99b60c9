import { sameMembers } from '../run/same.ts';

type Members = Readonly<Record<string, unknown>>;

/** How the present value stands to what was there before a run and to what the run wrote. */
export type Standing = 'written' | 'before' | 'changed';

/** Compares the members that a run replaced. What equals both is as good as undone. */
export const standingOf = (present: object, before: Members, written: Members): Standing => {
  if (sameMembers(present, before)) return 'before';
  return sameMembers(present, written) ? 'written' : 'changed';
};

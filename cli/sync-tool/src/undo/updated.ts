import { standingOf, towards, type Replacement } from '../run/replacement.ts';
import { changedSince, left, undone, type Undone, type UndoParts } from './entry.ts';

/** Something that a run updated. */
export interface Updated {
  readonly present: object | undefined;
  readonly change: Replacement;
  readonly forced: boolean;
  readonly restore: (before: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** Gives back the values that a run replaced, unless somebody has changed them since; whatever else has changed stays. */
export const undoUpdated = async ({ dryRun }: UndoParts, updated: Updated): Promise<Undone> => {
  const { present, change, forced, restore } = updated;
  if (!present) return left('it is gone');
  if (standingOf(present, change) === 'changed' && !forced) return changedSince;
  const due = towards(present, change, 'before');
  if (!due) return undone('it was as before already');
  if (!dryRun) await restore(due.written);
  return undone();
};

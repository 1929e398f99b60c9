import { changedSince, left, undone, type Undone, type UndoParts } from './entry.ts';
import { standingOf } from './compare.ts';

/** Something that a run updated. */
export interface Updated {
  readonly present: object | undefined;
  readonly before: Readonly<Record<string, unknown>>;
  readonly written: Readonly<Record<string, unknown>>;
  readonly forced: boolean;
  readonly restore: (before: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** Gives back what a run replaced, unless somebody has changed it since. */
export const undoUpdated = async ({ dryRun }: UndoParts, updated: Updated): Promise<Undone> => {
  const { present, before, written, forced, restore } = updated;
  if (!present) return left('it is gone');
  const standing = standingOf(present, before, written);
  if (standing === 'before') return undone('it was as before already');
  if (standing === 'changed' && !forced) return changedSince;
  if (!dryRun) await restore(before);
  return undone();
};

import { changedSince, undone, type Undone, type UndoParts } from './entry.ts';
import { sameMembers } from '../run/same.ts';

/** Something that a run created and that can be made inactive. */
export interface Created {
  readonly present: { readonly is_active: boolean } | undefined;
  /** What was sent, without what the site may keep otherwise. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly forced: boolean;
  readonly deactivate: () => Promise<void>;
}

/** Makes inactive what a run created; what is gone or inactive is undone already. */
export const undoCreated = async ({ dryRun }: UndoParts, created: Created): Promise<Undone> => {
  const { present, written, forced, deactivate } = created;
  if (!present) return undone('it is gone');
  if (!forced && !sameMembers(present, written)) return present.is_active ? changedSince : undone('it is inactive');
  if (!dryRun) await deactivate();
  return undone();
};

import { changedSince, undone, type Undone, type UndoParts } from './entry.ts';
import { sameMembers } from '../run/replacement.ts';

/** Something that a run created and that can be made inactive. */
export interface Created {
  readonly present: { readonly is_active: boolean };
  /** What was sent, without what the site may keep otherwise. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly forced: boolean;
  readonly deactivate: () => Promise<void>;
}

/** Whether nothing but its activity differs from what the run wrote: an undo before may have made it inactive. */
export const isAsWritten = (present: object, written: Readonly<Record<string, unknown>>): boolean =>
  sameMembers({ ...present, is_active: true }, { ...written, is_active: true });

/** Makes inactive what a run created; what is inactive is undone already. */
export const undoCreated = async ({ dryRun }: UndoParts, created: Created): Promise<Undone> => {
  const { present, written, forced, deactivate } = created;
  if (!forced && !sameMembers(present, written)) return present.is_active ? changedSince : undone('it is inactive');
  if (!dryRun) await deactivate();
  return undone();
};

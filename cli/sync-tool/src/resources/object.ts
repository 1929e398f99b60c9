import type { RecordedChange } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { printable } from '@ranger-relay/terminal';
import type { Outcome } from '../run/journal.ts';
import { sameMembers, standingOf, towards, type Replacement } from './replacement.ts';
import {
  changedSince,
  left,
  planOutdated,
  undone,
  type Applied,
  type ApplyContext,
  type ChangeOf,
  type Undone,
  type UndoContext,
} from './resource.ts';

// Shared by patrol types, choices and subjects: objects with an id that are created, updated member by member and deactivated.

type ObjectKind = 'patrol_type' | 'choice' | 'subject';
type Members = Readonly<Record<string, unknown>>;
type UpdateOf<K extends ObjectKind> = Extract<ChangeOf<K>, { action: 'updated' }>;

export const inactive = { is_active: false };

/** Formats a value of a planned change for the operator. */
export const quoted = (value: unknown): string =>
  typeof value === 'string' ? `"${printable(value)}"` : JSON.stringify(value);

/** Describes an update member by member: `display "A" → "B"`; for `additional` only the keys that differ. */
export const describeUpdate = ({ before, written }: { readonly before: object; readonly written: object }): string =>
  Object.entries(written)
    .flatMap(([name, value]): string[] => {
      const old = (before as Members)[name];
      if (name !== 'additional') return [`${name} ${quoted(old)} → ${quoted(value)}`];
      const [was, is] = [old as Members, value as Members];
      return [...new Set([...Object.keys(was), ...Object.keys(is)])]
        .filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]))
        .map((key) => `${key} ${quoted(was[key] ?? null)} → ${quoted(is[key] ?? null)}`);
    })
    .join(', ');

/** Suffix that marks an object created inactive. */
export const activityOf = ({ is_active: active }: { readonly is_active: boolean }): string =>
  active ? '' : ' (inactive)';

/** Returns what is still due of a change that creates an object. */
export const compareCreated = <C extends { readonly written: Members }>(
  present: object | undefined,
  change: C,
  written: Members = change.written,
): readonly C[] | 'outdated' => {
  if (present === undefined) return [change];
  return sameMembers(present, written) ? [] : 'outdated';
};

/** Returns what is still due of a change that updates an object. */
export const compareUpdated = <C extends Replacement>(
  present: object | undefined,
  change: C,
): readonly C[] | 'outdated' => {
  if (present === undefined) return 'outdated';
  const standing = standingOf(present, change);
  if (standing === 'changed') return 'outdated';
  return standing === 'written' ? [] : [change];
};

/** How one kind of object is read, changed and recorded. */
export interface UpdatedObject<T extends object> {
  /** Name of the object, as shown to the operator. */
  readonly name: string;
  readonly read: () => Promise<T | undefined>;
  readonly patch: (present: T, changes: Members) => Promise<void>;
  readonly recorded: (due: { readonly before: Members; readonly written: Members }) => RecordedChange;
}

/** Maximum attempts to update an object that another writer keeps changing. */
const maxAttempts = 4;

/**
 * Applies an update to the current object and records the values that it replaces. Reads the object again when it changed between reading
 * and writing.
 * @throws RelayError `plan_outdated`, `site_changed` and what reading and writing throw
 */
export const applyUpdate = async <T extends object>(
  { writes, course, fresh }: ApplyContext,
  change: UpdateOf<ObjectKind>,
  { name, read, patch, recorded }: UpdatedObject<T>,
): Promise<Applied> => {
  for (let attempt = 1; ; attempt += 1) {
    const present = await read();
    if (present === undefined) {
      if (course.approved) throw planOutdated([name]);
      throw new RelayError('site_not_found', { details: { target: change.id } });
    }
    if (course.approved && standingOf(present, change) === 'changed') throw planOutdated([name]);
    const due = towards(present, change, 'written');
    if (!due) return 'already';
    try {
      await writes.write(recorded(due), async () => {
        await patch(present, due.written);
        return null;
      });
      return 'done';
    } catch (error) {
      if (attempt === maxAttempts || !isRelayError(error, 'site_changed')) throw error;
      fresh.forget();
    }
  }
};

export const happened = (id: string | null): Outcome => ({ outcome: 'done', id });
export const notHappened: Outcome = { outcome: 'refused', reason: 'it never reached the site' };

/** The outcome of a create whose response was lost. */
export const reconcileCreated = (found: { readonly id: string } | undefined): Outcome =>
  found === undefined ? notHappened : happened(found.id);

/** The outcome of an update whose response was lost: the site carried it out unless the object still has the old values. */
export const reconcileUpdated = (present: object | undefined, change: Replacement): Outcome =>
  present === undefined || (change.before !== undefined && standingOf(present, change) === 'before')
    ? notHappened
    : happened(null);

/** An object that a run created and that can be deactivated. */
export interface CreatedObject {
  readonly present: { readonly is_active: boolean };
  /** The members that were sent, without those that the site may store differently. */
  readonly written: Members;
  readonly forced: boolean;
  readonly deactivate: () => Promise<void>;
}

/** Whether the object equals what the run wrote, apart from `is_active`, which an earlier undo may have changed. */
export const isAsWritten = (present: object, written: Members): boolean =>
  sameMembers({ ...present, is_active: true }, { ...written, is_active: true });

/** Deactivates an object that a run created; an inactive object counts as undone. */
export const undoCreated = async ({ dryRun }: UndoContext, created: CreatedObject): Promise<Undone> => {
  const { present, written, forced, deactivate } = created;
  if (!forced && !sameMembers(present, written)) return present.is_active ? changedSince : undone('it is inactive');
  if (!dryRun) await deactivate();
  return undone();
};

/** Restores the values that a run replaced, unless they have changed since. Other changes of the object stay. */
export const undoUpdated = async (
  { dryRun }: UndoContext,
  present: object | undefined,
  change: Replacement,
  forced: boolean,
  restore: (before: Members) => Promise<void>,
): Promise<Undone> => {
  if (!present) return left('it is gone');
  if (standingOf(present, change) === 'changed' && !forced) return changedSince;
  const due = towards(present, change, 'before');
  if (!due) return undone('it was as before already');
  if (!dryRun) await restore(due.written);
  return undone();
};

/** Whether the object of an entry was active after the write. */
export const isInUse = ({ written }: { readonly written: Members }): boolean => written['is_active'] !== false;

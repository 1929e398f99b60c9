import type { RecordedChange } from '@ranger-relay/contracts';
import { toRelayError, type ErrorCode } from '@ranger-relay/errors';
import type { FormDocument, Subject } from '@ranger-relay/site';
import { emptyEnvelope, equalForms } from '../form/index.ts';
import { choiceKey } from '../plan/choices.ts';
import { memberOf } from '../plan/match.ts';
import { undoCreated } from './created.ts';
import { changedSince, undone, type EntryOf, type Undone, type UndoParts } from './entry.ts';
import { undoUpdated } from './updated.ts';
import { sameMembers } from '../run/same.ts';

const undoType = async (parts: UndoParts, change: EntryOf<'patrol_type'>): Promise<Undone> => {
  const { site, seen, force, dryRun } = parts;
  const { value, written, before } = change;
  const present = (await seen.types()).find((type) => type.value === value);
  const forced = force.has('patrol_type');
  const patch = (changes: object): Promise<void> =>
    present ? site.patchPatrolType(present, changes) : Promise.resolve();
  if (change.action === 'updated')
    return undoUpdated(parts, { present, before: before ?? {}, written, forced, restore: patch });
  if (!present) return undone('it is gone');
  if (!forced && present.is_active && !sameMembers(present, written)) return changedSince;
  if (await site.isPatrolTypeUsed(present))
    return undoCreated(parts, { present, written, forced: true, deactivate: () => patch({ is_active: false }) });
  if (!dryRun) await site.deletePatrolType(present);
  return undone();
};

const undoForm = async (
  { site, force, dryRun, formBefore }: UndoParts,
  change: EntryOf<'universal_patrol_fields'>,
): Promise<Undone> => {
  const target = change.before_file === null ? emptyEnvelope() : await formBefore(change.before_file);
  const stored = await site.form();
  if (stored === null || equalForms(stored, target)) return undone('it was as before already');
  const isWritten = equalForms(stored, change.written as unknown as FormDocument);
  if (!isWritten && !force.has('universal_patrol_fields')) return changedSince;
  if (!dryRun) await site.writeForm(target);
  return undone();
};

const undoChoice = async (parts: UndoParts, change: EntryOf<'choice'>): Promise<Undone> => {
  const { site, seen, force } = parts;
  const { id, field, value, before } = change;
  const { ordernum: _, ...written } = change.written;
  const present = (await seen.choices(field)).find((choice) =>
    id === null ? choiceKey(field, choice.value) === choiceKey(field, value) : choice.id === id,
  );
  const patch = (changes: object): Promise<void> =>
    present ? site.patchChoice(present.id, changes) : Promise.resolve();
  const common = { present, written, forced: force.has('choice') };
  if (change.action === 'updated') return undoUpdated(parts, { ...common, before: before ?? {}, restore: patch });
  return undoCreated(parts, { ...common, deactivate: () => patch({ is_active: false }) });
};

/** By id; one whose id nobody has heard by its employee. */
const findSubject = async ({ seen }: UndoParts, { id, member }: EntryOf<'subject'>): Promise<Subject | undefined> =>
  (await seen.subjects()).find((subject) => (id === '' ? memberOf(subject) === member : subject.id === id));

const undoSubject = async (parts: UndoParts, change: EntryOf<'subject'>): Promise<Undone> => {
  const { site, force, deleteSubjects, dryRun } = parts;
  const { written, before } = change;
  const present = await findSubject(parts, change);
  const patch = (changes: object): Promise<void> =>
    present ? site.patchSubject(present.id, changes) : Promise.resolve();
  const common = { present, written, forced: force.has('subject') };
  if (change.action === 'updated') return undoUpdated(parts, { ...common, before: before ?? {}, restore: patch });
  const outcome = await undoCreated(parts, { ...common, deactivate: () => patch({ is_active: false }) });
  if (outcome.outcome !== 'undone' || !deleteSubjects || !present) return outcome;
  if (!dryRun) await site.deleteSubject(present.id);
  return undone('it was deleted');
};

const undoRoster = async (
  { site, dryRun }: UndoParts,
  { group_id, subject_ids }: EntryOf<'roster'>,
): Promise<Undone> => {
  const members = new Set(await site.groupMembers(group_id));
  const there = subject_ids.filter((id) => members.has(id));
  if (there.length === 0) return undone('none of them is a member');
  if (!dryRun) await site.removeFromGroup(group_id, there);
  return undone();
};

const endsUndo: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['internal', 'site_unauthorized', 'site_redirected']);

const undoOne = (parts: UndoParts, change: RecordedChange): Promise<Undone> => {
  switch (change.kind) {
    case 'patrol_type':
      return undoType(parts, change);
    case 'universal_patrol_fields':
      return undoForm(parts, change);
    case 'choice':
      return undoChoice(parts, change);
    case 'subject':
      return undoSubject(parts, change);
    case 'roster':
      return undoRoster(parts, change);
  }
};

/** Undoes one entry of a record, unless what it wrote is no longer there (bundle contract, 7). A refused entry holds up no other. */
export const undoEntry = async (parts: UndoParts, change: RecordedChange): Promise<Undone> => {
  try {
    return await undoOne(parts, change);
  } catch (error) {
    const failure = toRelayError(error);
    if (endsUndo.has(failure.code)) throw error;
    return { outcome: 'failed', reason: failure.message };
  }
};

import type { RecordedChange } from '@ranger-relay/contracts';
import { toRelayError } from '@ranger-relay/errors';
import type { FormDocument, Subject } from '@ranger-relay/site';
import { emptyEnvelope, equalForms, propertiesOf } from '../form/index.ts';
import { choiceKey } from '../plan/choices.ts';
import { subjectsByMember } from '../plan/match.ts';
import { sameMembers } from '../run/replacement.ts';
import { endsRun } from '../run/stops.ts';
import { isAsWritten, undoCreated } from './created.ts';
import { areaThat, changedSince, left, neededBy, undone, type EntryOf, type Undone, type UndoParts } from './entry.ts';
import { undoUpdated } from './updated.ts';

const inactive = { is_active: false };

/** Undoing the entry would take it out of use: what was created goes, and what was not in use before is so again. */
const takesOut = ({ action, before }: { readonly action: string; readonly before?: object | undefined }): boolean =>
  action === 'created' || (before !== undefined && Reflect.get(before, 'is_active') === false);

/** The area that counts on what an entry would take out of use. */
const neededElsewhere = ({ others }: UndoParts, change: RecordedChange): string | undefined => {
  if (change.kind === 'roster' || change.kind === 'universal_patrol_fields' || !takesOut(change)) return undefined;
  return areaThat(others, (needs) => {
    if (change.kind === 'patrol_type') return needs.patrol_types.includes(change.value);
    if (change.kind === 'subject') return change.member !== null && Object.hasOwn(needs.subjects, change.member);
    const key = choiceKey(change.field, change.value);
    return (needs.choices[change.field] ?? []).some((value) => choiceKey(change.field, value) === key);
  });
};

/** The area that counts on a field which the form would lose. */
const fieldNeededElsewhere = (
  { others }: UndoParts,
  stored: FormDocument | null,
  target: FormDocument,
): string | undefined => {
  const left = new Set(propertiesOf(target));
  const lost = propertiesOf(stored).filter((name) => !left.has(name));
  return areaThat(others, (needs) => lost.some((name) => Object.hasOwn(needs.fields, name)));
};

const undoType = async (parts: UndoParts, change: EntryOf<'patrol_type'>): Promise<Undone> => {
  const { site, fresh, force, dryRun } = parts;
  const { id, value, written } = change;
  const known = (await fresh.types()).find((type) => type.value === value);
  // Another type that has got the same value is not what the run wrote.
  const present = id === '' || known?.id === id ? known : undefined;
  const forced = force.has('patrol_type');
  if (change.action === 'updated') {
    const restore = async (before: object): Promise<void> => present && site.patchPatrolType(present, before);
    return undoUpdated(parts, { present, change, forced, restore });
  }
  if (!present) return undone('it is gone');
  if (!forced && !sameMembers(present, written)) return present.is_active ? changedSince : undone('it is inactive');
  const use = await site.patrolTypeUse(present);
  if (use !== 'unused') {
    if (!dryRun) await site.patchPatrolType(present, inactive);
    return undone(
      use === 'used'
        ? 'patrols use it: it is inactive'
        : 'patrols that the token is not shown may use it: it is inactive',
    );
  }
  if (!dryRun) await site.deletePatrolType(present);
  return undone();
};

const undoForm = async (parts: UndoParts, change: EntryOf<'universal_patrol_fields'>): Promise<Undone> => {
  const { site, force, dryRun, formBefore } = parts;
  const target = change.before_file === null ? null : await formBefore(change.before_file);
  const stored = await site.form();
  if (stored === null && !(await site.patrolSchemas()))
    return left('the preview feature patrol_schemas is off, so nobody can reach it; undo again when it is on');
  const envelope = target ?? emptyEnvelope();
  if (equalForms(stored, target) || equalForms(stored, envelope)) return undone('it was as before already');
  const isWritten = equalForms(stored, change.written as unknown as FormDocument);
  if (!isWritten && !force.has('universal_patrol_fields')) return changedSince;
  const area = fieldNeededElsewhere(parts, stored, envelope);
  if (area !== undefined) return neededBy(area);
  if (!dryRun) await site.writeForm(envelope, stored);
  return undone();
};

const undoChoice = async (parts: UndoParts, change: EntryOf<'choice'>): Promise<Undone> => {
  const { site, fresh, force } = parts;
  const { id, field, value } = change;
  const { ordernum: _, ...written } = change.written;
  const present = (await fresh.choices(field)).find((choice) =>
    id === null ? choiceKey(field, choice.value) === choiceKey(field, value) : choice.id === id,
  );
  const forced = force.has('choice');
  const patch = async (changes: object): Promise<void> => present && site.patchChoice(present, changes);
  if (change.action === 'updated') return undoUpdated(parts, { present, change, forced, restore: patch });
  if (!present) return undone('it is gone');
  return undoCreated(parts, { present, written, forced, deactivate: () => patch(inactive) });
};

/** By id; one whose id nobody has heard by its employee. */
const findSubject = async (
  { fresh, site }: UndoParts,
  { id, member }: EntryOf<'subject'>,
): Promise<Subject | undefined> =>
  id === '' ? subjectsByMember(await site.subjects()).get(member ?? '') : fresh.subject(id);

const undoNewSubject = async (parts: UndoParts, present: Subject, { written }: EntryOf<'subject'>): Promise<Undone> => {
  const { site, force, deleteSubjects, dryRun } = parts;
  const forced = force.has('subject');
  const deactivate = (): Promise<void> => site.patchSubject(present, inactive);
  const outcome = await undoCreated(parts, { present, written, forced, deactivate });
  if (outcome.outcome !== 'undone' || !deleteSubjects) return outcome;
  if (!forced && !isAsWritten(present, written)) return changedSince;
  if (!dryRun) await site.deleteSubject(present.id);
  return undone('it was deleted');
};

const undoSubject = async (parts: UndoParts, change: EntryOf<'subject'>): Promise<Undone> => {
  const { site, force } = parts;
  const present = await findSubject(parts, change);
  if (!present) return left('the token does not see it: it is gone, or in a group that the token may not view');
  if (change.action === 'created') return undoNewSubject(parts, present, change);
  if (change.reason === 'duplicate') return undone('another subject stands for the employee: it stays inactive');
  const restore = (before: object): Promise<void> => site.patchSubject(present, before);
  return undoUpdated(parts, { present, change, forced: force.has('subject'), restore });
};

const undoRoster = async (
  { site, dryRun, others }: UndoParts,
  { group_id, subject_ids }: EntryOf<'roster'>,
): Promise<Undone> => {
  const members = new Set(await site.groupMembers(group_id));
  const there = subject_ids.filter((id) => members.has(id));
  if (there.length === 0) return undone('none of them is a member');
  const needed = new Set(others.flatMap(({ needs }) => Object.values(needs.subjects)));
  const ours = there.filter((id) => !needed.has(id));
  if (!dryRun && ours.length > 0) await site.removeFromGroup(group_id, ours);
  return ours.length === there.length ? undone() : left(`other areas need ${there.length - ours.length} of them`);
};

const undoOne = async (parts: UndoParts, change: RecordedChange): Promise<Undone> => {
  const area = neededElsewhere(parts, change);
  if (area !== undefined) return neededBy(area);
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

/** Readings of an object that somebody else keeps changing. */
const maxReadings = 4;

/**
 * Undoes one entry of a record, unless what it wrote is no longer there (bundle contract, 7). A refused entry holds up no other.
 * @throws RelayError those after which nothing else would work
 */
export const undoEntry = async (parts: UndoParts, change: RecordedChange): Promise<Undone> => {
  for (let reading = 1; ; reading += 1)
    try {
      return await undoOne(parts, change);
    } catch (error) {
      const failure = toRelayError(error);
      if (endsRun(failure)) throw error;
      if (failure.code !== 'site_changed' || reading === maxReadings)
        return { outcome: 'failed', reason: failure.message };
      parts.fresh.forget();
    }
};

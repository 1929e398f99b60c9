import type { PlannedChange } from '@ranger-relay/contracts';
import type { Choice, FormDocument, PatrolType, Subject } from '@ranger-relay/site';
import { equalForms } from '../form/index.ts';
import { choiceKey } from '../plan/choices.ts';
import { memberOf } from '../plan/match.ts';
import { sameMembers, standingOf } from '../run/replacement.ts';

/** What the site has of what a plan writes. */
export interface Present {
  readonly types: readonly PatrolType[];
  /** Undefined while the feature is off: nobody can see it then. */
  readonly form: FormDocument | null | undefined;
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly subjects: readonly Subject[];
}

/** `due`: as the plan saw it; `already`: as the plan writes it; `outdated`: neither. */
export type PlanStanding = 'due' | 'already' | 'outdated';

type Members = Readonly<Record<string, unknown>>;
type Change<Kind extends PlannedChange['kind']> = Extract<PlannedChange, { kind: Kind }>;

const ofCreated = (present: object | undefined, written: Members): PlanStanding => {
  if (present === undefined) return 'due';
  return sameMembers(present, written) ? 'already' : 'outdated';
};

const ofUpdated = (present: object | undefined, before: Members, written: Members): PlanStanding => {
  if (present === undefined) return 'outdated';
  const standing = standingOf(present, { before, written });
  if (standing === 'changed') return 'outdated';
  return standing === 'written' ? 'already' : 'due';
};

const ofForm = (stored: Present['form'], before: unknown, written: unknown): PlanStanding => {
  if (stored === undefined) return 'outdated';
  if (equalForms(stored, written as FormDocument)) return 'already';
  return equalForms(stored, before as FormDocument | null) ? 'due' : 'outdated';
};

/** What an update says of an object with another id than the plan's: ids are no part of the hash, so they may have been changed. */
const withId = <T extends { readonly id: string }>(there: T | undefined, id: string): T | undefined =>
  there?.id === id ? there : undefined;

const ofType = (change: Change<'patrol_type'>, { types }: Present): PlanStanding => {
  const there = types.find(({ value }) => value === change.value);
  if (change.action === 'created') return ofCreated(there, change.written);
  return ofUpdated(withId(there, change.id), change.before, change.written);
};

const ofChoice = (change: Change<'choice'>, { choices }: Present): PlanStanding => {
  const { field, value } = change;
  const key = choiceKey(field, value);
  const alike = (choices.get(field) ?? []).filter((each) => choiceKey(field, each.value) === key);
  if (change.action === 'updated')
    return ofUpdated(
      alike.find(({ id }) => id === change.id),
      change.before,
      change.written,
    );
  const { ordernum: _, ...written } = change.written;
  return ofCreated(alike[0], written);
};

/** The employee tells who is meant; of a subject without one the staff id that the plan saw, or else its name. */
const isMeant = (subject: Subject, { member, name, before }: Change<'subject'> & { action: 'updated' }): boolean => {
  const known = memberOf(subject);
  if (known !== undefined && known === member) return true;
  const staffId = before.additional?.['ext_employee_id'];
  if (known === undefined && staffId !== undefined) return subject.additional['ext_employee_id'] === staffId;
  return member === null && subject.name === name;
};

const ofSubject = (change: Change<'subject'>, { subjects }: Present): PlanStanding => {
  if (change.action === 'created')
    return ofCreated(
      subjects.find((subject) => memberOf(subject) === change.member),
      change.written,
    );
  const there = subjects.find(({ id }) => id === change.id);
  return ofUpdated(there && isMeant(there, change) ? there : undefined, change.before, change.written);
};

/** How an object that a plan writes stands to what the plan saw. Members that join the roster are looked at apart. */
export const planStanding = (change: Exclude<PlannedChange, Change<'roster'>>, present: Present): PlanStanding => {
  switch (change.kind) {
    case 'patrol_type':
      return ofType(change, present);
    case 'universal_patrol_fields':
      return ofForm(present.form, change.before, change.written);
    case 'choice':
      return ofChoice(change, present);
    case 'subject':
      return ofSubject(change, present);
  }
};

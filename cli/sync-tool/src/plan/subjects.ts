import type { Deactivation, PlannedChange } from '@ranger-relay/contracts';
import type { Subject } from '@ranger-relay/site';
import type { Area } from '../bundle/model.ts';
import { managedBy, subtype, type DesiredPeople, type DesiredSubject, type Identity } from '../desired/subjects.ts';
import { bareUuid } from './choices.ts';
import { differences } from './differences.ts';
import { isOurs, matchSubjects, memberOf, type Matches } from './match.ts';
import type { StepPlan } from './step.ts';

const sameIdentity = (key: string, a: unknown, b: string): boolean =>
  typeof a === 'string' && (key === 'ext_member_id' ? bareUuid(a) === bareUuid(b) : a === b);

/** The site's members with ours put in; undefined when none differs. Spelling of the uuid alone is no difference. */
export const mergedAdditional = (
  present: Subject['additional'],
  identity: Identity,
): Record<string, unknown> | undefined => {
  const merged: Record<string, unknown> = { ...present };
  let changed = false;
  for (const [key, value] of Object.entries(identity)) {
    if (value === null ? !Object.hasOwn(present, key) : sameIdentity(key, present[key], value)) continue;
    changed = true;
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  return changed ? merged : undefined;
};

/** What a subject that was found lacks. Markers are kept, and never added to one that was only matched. */
export const subjectChange = (present: Subject, desired: DesiredSubject): PlannedChange | undefined => {
  const { id, name, is_active, additional } = present;
  const merged = mergedAdditional(additional, desired.identity);
  const found = differences<Pick<Subject, 'name' | 'is_active' | 'additional'>>(
    { name, is_active, additional },
    { name: desired.name, is_active: desired.isActive, ...(merged ? { additional: merged } : {}) },
  );
  return found && { kind: 'subject', action: 'updated', member: desired.member, id, name: desired.name, ...found };
};

/** Members stand in the order of their names: the text that is hashed needs no copy of thousands of people. */
const creation = ({ member, name, isActive, identity }: DesiredSubject, area: Area): PlannedChange => {
  const { ext_agency, ext_employee_id, ext_member_id, ext_rank } = identity;
  const additional = {
    ...(ext_agency ? { ext_agency } : {}),
    ext_conservation_area: area.uuid,
    ext_employee_id,
    ext_managed_by: managedBy,
    ext_member_id,
    ...(ext_rank ? { ext_rank } : {}),
  };
  return {
    action: 'created',
    kind: 'subject',
    member,
    written: { additional, is_active: isActive, name, subject_subtype: subtype },
  };
};

const reasonOf = (member: string | undefined, { logins, known }: DesiredPeople): Deactivation => {
  if (member === undefined || !known.has(member)) return 'not_in_bundle';
  return logins.has(member) ? 'login' : 'not_planned';
};

/**
 * Subjects that an earlier run made for this area and nobody plans any more, and second ones of an employee: never deleted, never taken from
 * the roster.
 */
const deactivations = (
  present: readonly Subject[],
  people: DesiredPeople,
  area: Area,
  { byMember }: Matches,
): PlannedChange[] => {
  const kept = new Set([...byMember.values()].map(({ id }) => id));
  const planned = new Set(people.subjects.map(({ member }) => member));
  return present.flatMap((subject): PlannedChange[] => {
    const member = memberOf(subject);
    if (!subject.is_active || kept.has(subject.id) || !isOurs(subject, area)) return [];
    const isSecond = member !== undefined && planned.has(member);
    return [
      {
        kind: 'subject',
        action: 'updated',
        member: member !== undefined && /^[0-9a-f]{32}$/.test(member) ? member : null,
        id: subject.id,
        name: subject.name,
        before: { is_active: true },
        written: { is_active: false },
        reason: isSecond ? 'duplicate' : reasonOf(member, people),
      },
    ];
  });
};

/** The plan of the step, and what the next one and the guards need of it. */
export interface SubjectsPlan extends StepPlan {
  readonly matches: Matches;
  /** Active subjects that earlier runs made for this area. */
  readonly ours: number;
}

/** Matches, patches, creates and deactivates (spec, rules 4 to 8). */
export const planSubjects = (present: readonly Subject[], people: DesiredPeople, area: Area): SubjectsPlan => {
  const matches = matchSubjects(present, people.subjects, area);
  const changes = people.subjects.flatMap((desired): PlannedChange[] => {
    const there = matches.byMember.get(desired.member);
    return there ? [subjectChange(there, desired) ?? []].flat() : [creation(desired, area)];
  });
  return {
    changes: [...changes, ...deactivations(present, people, area, matches)],
    unchanged: people.subjects.length - changes.length,
    others: 0,
    skipped: null,
    matches,
    ours: present.filter((subject) => subject.is_active && isOurs(subject, area)).length,
  };
};

import type { Deactivation, PlannedChange } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Subject } from '@ranger-relay/site';
import type { Area } from '../bundle/model.ts';
import { type DesiredPeople, type DesiredSubject, type Identity, managedBy, subtype } from '../desired/subjects.ts';
import { bareUuid } from '../resources/choice.ts';
import type { SubjectsBeside } from './beside.ts';
import { isOurs, markedArea, type Matches, matchSubjects, memberOf } from './match.ts';
import { differences, type StepPlan } from './step.ts';

const uuidKeys: ReadonlySet<string> = new Set(['ext_member_id', 'ext_conservation_area']);

const sameValue = (key: string, a: unknown, b: string): boolean =>
  typeof a === 'string' && (uuidKeys.has(key) ? bareUuid(a) === bareUuid(b) : a === b);

/** The site's members with ours put in; undefined when none differs. Spelling of a uuid alone is no difference. */
export const mergedAdditional = (
  present: Subject['additional'],
  ours: Identity & { readonly ext_conservation_area?: string },
): Record<string, unknown> | undefined => {
  const merged: Record<string, unknown> = { ...present };
  let changed = false;
  for (const [key, value] of Object.entries(ours)) {
    if (value === null ? !Object.hasOwn(present, key) : sameValue(key, present[key], value)) continue;
    changed = true;
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  return changed ? merged : undefined;
};

/** The later of two exports decides about a person who moved. */
const isLater = (a: string, b: string): boolean => Date.parse(a) > Date.parse(b);

/** The marker moves to the area whose bundle was exported later, and to the one that shows somebody again whom another area hid. */
const takesOver = (
  present: Subject,
  desired: DesiredSubject,
  area: Area,
  { others, exportedAt }: SubjectsBeside,
): boolean => {
  const owner = markedArea(present);
  if (owner === undefined || owner === area.uuid) return false;
  if (desired.isActive && !present.is_active) return true;
  const other = others.find(({ uuid }) => uuid === owner);
  return other !== undefined && isLater(exportedAt, other.exportedAt);
};

/** What a subject that was found lacks. Markers are never added to one that was only matched. */
const subjectChange = (
  present: Subject,
  desired: DesiredSubject,
  area: Area,
  beside: SubjectsBeside,
): PlannedChange | undefined => {
  const { id, name, is_active, additional } = present;
  const owner = markedArea(present);
  const isTakenOver = takesOver(present, desired, area, beside);
  // Who is shown by another area is hidden by that one alone, unless this bundle is known to be the later one.
  const isElsewhere = owner !== undefined && owner !== area.uuid && !isTakenOver;
  const marker = isTakenOver ? { ext_conservation_area: area.uuid } : {};
  const merged = mergedAdditional(additional, { ...desired.identity, ...marker });
  const isActive = desired.isActive || (isElsewhere && is_active);
  const found = differences<Pick<Subject, 'name' | 'is_active' | 'additional'>>(
    { name, is_active, additional },
    { name: desired.name, is_active: isActive, ...(merged ? { additional: merged } : {}) },
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

/** What decides which subjects are deactivated. */
interface DeactivationScope {
  readonly people: DesiredPeople;
  readonly area: Area;
  readonly matches: Matches;
  /** Employees whom a later bundle of another area plans. */
  readonly elsewhere: ReadonlySet<string>;
}

/**
 * Subjects that an earlier run made for this area and nobody plans any more, and second ones of an employee: never deleted, never taken from
 * the roster.
 */
const deactivations = (present: readonly Subject[], parts: DeactivationScope): PlannedChange[] => {
  const { people, area, elsewhere } = parts;
  const kept = new Set([...parts.matches.byMember.values()].map(({ id }) => id));
  const planned = new Set(people.subjects.map(({ member }) => member));
  return present.flatMap((subject): PlannedChange[] => {
    const member = memberOf(subject);
    if (!subject.is_active || kept.has(subject.id) || !isOurs(subject, area)) return [];
    const isSecond = member !== undefined && planned.has(member);
    if (!isSecond && member !== undefined && elsewhere.has(member)) return [];
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

/**
 * A token that no longer sees its rangers would make all of them again.
 * @throws RelayError `subjects_hidden`
 */
export const checkShown = (
  members: readonly string[],
  present: readonly Subject[],
  { subjects, mayRecreate }: SubjectsBeside,
): void => {
  if (mayRecreate) return;
  const shown = new Set(present.map(({ id }) => id));
  const hidden = members.filter((member) => subjects.has(member) && !shown.has(subjects.get(member) ?? ''));
  if (hidden.length > 0) throw new RelayError('subjects_hidden', { details: { count: hidden.length } });
};

/** Matches, patches, creates and deactivates (spec, rules 4 to 8). @throws RelayError `subjects_hidden` */
export const planSubjects = (
  present: readonly Subject[],
  people: DesiredPeople,
  area: Area,
  beside: SubjectsBeside,
): SubjectsPlan => {
  const matches = matchSubjects(present, people.subjects, area);
  const later = beside.others.filter(({ exportedAt }) => isLater(exportedAt, beside.exportedAt));
  const elsewhere = new Set(later.flatMap(({ needs }) => Object.keys(needs.subjects)));
  const missing = people.subjects.flatMap(({ member }) => (matches.byMember.has(member) ? [] : [member]));
  checkShown(missing, present, beside);
  const changes = people.subjects.flatMap((desired): PlannedChange[] => {
    const there = matches.byMember.get(desired.member);
    if (!there) return [creation(desired, area)];
    if (elsewhere.has(desired.member)) return [];
    return [subjectChange(there, desired, area, beside) ?? []].flat();
  });
  return {
    changes: [...changes, ...deactivations(present, { people, area, matches, elsewhere })],
    unchanged: people.subjects.length - changes.length,
    others: 0,
    skipped: null,
    matches,
    ours: present.filter((subject) => subject.is_active && isOurs(subject, area)).length,
  };
};

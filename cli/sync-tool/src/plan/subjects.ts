import type { Deactivation, PlannedChange } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { dashedId, managedBy, matchedBy, type Subject, type SubjectKeys, type UnreadableRow } from '@ranger-relay/site';
import type { Area } from '../bundle/model.ts';
import { type DesiredPeople, type DesiredSubject, subtype } from '../resources/employees.ts';
import { activeIn, type Matches, matchSubjects, membersUnderAnyWord } from './match.ts';
import { differences, heldBackBy, membersIn, type StepPlan } from '../resources/resource.ts';
import type { KnownRecords } from '../run/known-records.ts';

/** The input of planning subjects, in addition to the bundle and the site. */
export interface SubjectsBeside extends KnownRecords {
  /** The members of `additional` under the word of the run. */
  readonly keys: SubjectKeys;
  /** When this bundle was exported. */
  readonly exportedAt: string;
  /**
   * Whether a subject that records list and the site does not show counts as removed and is created again. If false, the token may lack
   * access to it.
   */
  readonly mayRecreate: boolean;
}

/** Merges our keys into the stored `additional`; undefined when nothing differs. Null and absent are equal. */
export const mergedAdditional = (
  present: Subject['additional'],
  ours: Readonly<Record<string, string | null>>,
): Record<string, unknown> | undefined => {
  const merged: Record<string, unknown> = { ...present };
  let changed = false;
  for (const [key, value] of Object.entries(ours)) {
    if ((present[key] ?? null) === value) continue;
    changed = true;
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  return changed ? merged : undefined;
};

/** Whether one export is later than another; the later export decides about a person who moved between areas. */
export const isLater = (a: string, b: string): boolean => Date.parse(a) > Date.parse(b);

/** Whether this area takes over the marker: its bundle was exported later, or it activates a subject that another area deactivated. */
const takesOver = (
  present: Subject,
  desired: DesiredSubject,
  area: Area,
  { others, exportedAt }: SubjectsBeside,
): boolean => {
  const owner = present.identity.madeFor;
  if (owner === undefined || owner === area.uuid) return false;
  if (desired.isActive && !present.is_active) return true;
  const other = others.find(({ uuid }) => uuid === owner);
  return other !== undefined && isLater(exportedAt, other.exportedAt);
};

/**
 * The members of `additional` that an existing subject needs: the identity as the import compares it, the area unless it names another one,
 * the marker where it moves to this area, and agency and rank where a run created the subject (contract of the exported bundle, 8 and 11).
 */
const identityWanted = (
  { identity }: Subject,
  { member, employeeId, details }: DesiredSubject,
  { area, isTakenOver, keys }: { readonly area: Area; readonly isTakenOver: boolean; readonly keys: SubjectKeys },
): Record<string, string | null> => {
  const isMarked = identity.markedArea !== undefined;
  const namesAnother = identity.area !== undefined && identity.area !== area.uuid && !isTakenOver;
  return {
    [keys.member]: dashedId(member),
    [keys.employee]: employeeId,
    ...(namesAnother ? {} : { [keys.area]: dashedId(area.uuid) }),
    ...(isTakenOver && isMarked ? { ext_conservation_area: area.uuid } : {}),
    ...(isMarked ? details : {}),
    ...(identity.area === undefined && !isMarked ? { ext_managed_by: matchedBy } : {}),
  };
};

/** The update that an existing subject needs. */
const subjectChange = (
  present: Subject,
  desired: DesiredSubject,
  area: Area,
  beside: SubjectsBeside,
): PlannedChange | undefined => {
  const { id, name, is_active, additional } = present;
  const owner = present.identity.madeFor;
  const isTakenOver = takesOver(present, desired, area, beside);
  // Only the area that owns an active subject may deactivate it, unless this bundle is known to be the later one.
  const isElsewhere = owner !== undefined && owner !== area.uuid && !isTakenOver;
  const { keys } = beside;
  const merged = mergedAdditional(additional, identityWanted(present, desired, { area, isTakenOver, keys }));
  const isActive = desired.isActive || (isElsewhere && is_active);
  const found = differences<Pick<Subject, 'name' | 'is_active' | 'additional'>>(
    { name, is_active, additional },
    { name: desired.name, is_active: isActive, ...(merged ? { additional: merged } : {}) },
  );
  return found && { kind: 'subject', action: 'updated', member: desired.member, id, name: desired.name, ...found };
};

/** A new subject; the members are in alphabetical order, so that the plan can be hashed without copying thousands of subjects. */
const creation = (desired: DesiredSubject, area: Area, keys: SubjectKeys): PlannedChange => {
  const { member, name, isActive, employeeId, details } = desired;
  const additional: Record<string, unknown> = {
    ext_conservation_area: area.uuid,
    ext_managed_by: managedBy,
    [keys.area]: dashedId(area.uuid),
    [keys.employee]: employeeId,
    [keys.member]: dashedId(member),
  };
  for (const [key, value] of Object.entries(details)) if (value !== null) additional[key] = value;
  return {
    action: 'created',
    kind: 'subject',
    member,
    written: {
      additional: Object.fromEntries(Object.entries(additional).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      is_active: isActive,
      name,
      subject_subtype: subtype,
    },
  };
};

const reasonOf = (subject: Subject, { logins, known }: DesiredPeople): Deactivation => {
  const { member } = subject.identity;
  if (member === undefined && membersUnderAnyWord(subject).some((each) => known.has(each))) return 'other_word';
  if (member === undefined || !known.has(member)) return 'not_in_bundle';
  return logins.has(member) ? 'login' : 'not_planned';
};

/** Decides which subjects are deactivated. */
interface DeactivationScope {
  readonly people: DesiredPeople;
  readonly area: Area;
  readonly matches: Matches;
  /** Employees that a later bundle of another area plans. */
  readonly elsewhere: ReadonlySet<string>;
}

/**
 * Deactivates the active subjects that earlier runs created for this area and that are no longer planned, and the duplicates of an
 * employee. Subjects are never deleted and never removed from the roster.
 */
const deactivations = (present: readonly Subject[], parts: DeactivationScope): PlannedChange[] => {
  const { people, area, elsewhere } = parts;
  const kept = new Set([...parts.matches.byMember.values()].map(({ id }) => id));
  const planned = new Set(people.subjects.map(({ member }) => member));
  return present.flatMap((subject): PlannedChange[] => {
    const { member, madeFor, markedArea } = subject.identity;
    if (!subject.is_active || kept.has(subject.id) || madeFor !== area.uuid) return [];
    const isSecond = member !== undefined && planned.has(member);
    // A second subject without our mark is somebody's; it is left and named.
    if (isSecond && markedArea === undefined) return [];
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
        reason: isSecond ? 'duplicate' : reasonOf(subject, people),
      },
    ];
  });
};

/** The plan of the step, with the data that the roster step and the guards need. */
export interface SubjectsPlan extends StepPlan {
  readonly matches: Matches;
  /** Number of active subjects of the area; the default limit of deactivations is a part of it. */
  readonly ours: number;
  /** Employees who get no subject because a row of the site that cannot be read names them. */
  readonly membersHeldBack: ReadonlySet<string>;
}

/**
 * Fails if the site hides subjects that records list: the run would create all of them again.
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

/** Matches, updates, creates and deactivates subjects (spec, rules 4 to 8). @throws RelayError `subjects_hidden` */
export const planSubjects = (
  present: readonly Subject[],
  people: DesiredPeople,
  area: Area,
  beside: SubjectsBeside,
  unreadable: readonly UnreadableRow[] = [],
): SubjectsPlan => {
  const matches = matchSubjects(present, people.subjects, area);
  const hidden = membersIn(unreadable);
  const later = beside.others.filter(({ exportedAt }) => isLater(exportedAt, beside.exportedAt));
  const elsewhere = new Set(later.flatMap(({ needs }) => Object.keys(needs.subjects)));
  const absent = people.subjects.filter(({ member }) => !matches.byMember.has(member));
  const held = absent.filter(({ member }) => hidden.has(member));
  const membersHeldBack = new Set(held.map(({ member }) => member));
  const missing = absent.flatMap(({ member }) => (membersHeldBack.has(member) ? [] : [member]));
  checkShown(missing, present, beside);
  const changes = people.subjects.flatMap((desired): PlannedChange[] => {
    const there = matches.byMember.get(desired.member);
    if (membersHeldBack.has(desired.member)) return [];
    if (!there) return [creation(desired, area, beside.keys)];
    if (elsewhere.has(desired.member)) return [];
    return [subjectChange(there, desired, area, beside) ?? []].flat();
  });
  return {
    changes: [...changes, ...deactivations(present, { people, area, matches, elsewhere })],
    heldBack: held.flatMap(({ name, member }) => {
      const row = hidden.get(member);
      return row ? [heldBackBy(`subject ${name} (employee ${member})`, row)] : [];
    }),
    membersHeldBack,
    unchanged: people.subjects.length - changes.length - held.length,
    others: 0,
    skipped: null,
    matches,
    ours: activeIn(present, area),
  };
};

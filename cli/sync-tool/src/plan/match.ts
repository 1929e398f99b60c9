import type { Area } from '../bundle/model.ts';
import type { Subject } from '@ranger-relay/site';
import { managedBy, type DesiredSubject } from '../resources/employees.ts';
import { bareUuid } from '../resources/choice.ts';

const textOf = ({ additional }: Subject, key: string): string | undefined => {
  const value = additional[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Uuid of the employee that a subject stands for. */
export const memberOf = (subject: Subject): string | undefined => {
  const member = textOf(subject, 'ext_member_id');
  return member === undefined ? undefined : bareUuid(member);
};

/** Whether the subject names the area, in the current or the older key. */
const records = (subject: Subject, { uuid }: Area): boolean =>
  ['ext_conservation_area', 'ca_uuid'].some((key) => bareUuid(textOf(subject, key) ?? '') === uuid);

/** The area for which an earlier run created the subject; undefined when no run created it. */
export const markedArea = (subject: Subject): string | undefined => {
  if (textOf(subject, 'ext_managed_by') !== managedBy) return undefined;
  const area = textOf(subject, 'ext_conservation_area');
  return area === undefined ? undefined : bareUuid(area);
};

/** Whether an earlier run created the subject for this area, according to both marker keys. */
export const isOurs = (subject: Subject, { uuid }: Area): boolean => markedArea(subject) === uuid;

const isMarked = (subject: Subject): boolean => markedArea(subject) !== undefined;

/**
 * Orders the subjects of one employee: those created by a run first, then active ones, then the lowest id. All areas use the same order, so
 * that they choose the same subject.
 */
const better = (a: Subject, b: Subject): number =>
  Number(isMarked(b)) - Number(isMarked(a)) || Number(b.is_active) - Number(a.is_active) || (a.id < b.id ? -1 : 1);

const grouped = (
  subjects: readonly Subject[],
  keyOf: (subject: Subject) => string | undefined,
): ReadonlyMap<string, Subject[]> => {
  const groups = new Map<string, Subject[]>();
  for (const subject of subjects) {
    const key = keyOf(subject);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(subject);
    else groups.set(key, [subject]);
  }
  return groups;
};

/** The subject of each employee; if there are several, the one that {@link matchSubjects} chooses. */
export const subjectsByMember = (present: readonly Subject[]): ReadonlyMap<string, Subject> => {
  const best = new Map<string, Subject>();
  for (const [member, subjects] of grouped(present, memberOf)) {
    const [taken] = subjects.toSorted(better);
    if (taken) best.set(member, taken);
  }
  return best;
};

/** The subject of the site that stands for each employee. */
export interface Matches {
  /** By the uuid of the employee. */
  readonly byMember: ReadonlyMap<string, Subject>;
  /** Employees for whom the site has several subjects. */
  readonly ambiguous: readonly { readonly member: string; readonly taken: Subject; readonly others: number }[];
}

/**
 * Matches subjects in any area by the uuid of the employee. A subject without a uuid that names this area matches by staff id, if the staff
 * id is unique on both sides (site contract, 6).
 */
export const matchSubjects = (present: readonly Subject[], desired: readonly DesiredSubject[], area: Area): Matches => {
  const byUuid = grouped(present, memberOf);
  const unclaimed = present.filter((subject) => memberOf(subject) === undefined && records(subject, area));
  const byStaffId = grouped(unclaimed, (subject) => textOf(subject, 'ext_employee_id'));
  const byMember = new Map<string, Subject>();
  const ambiguous: Matches['ambiguous'][number][] = [];
  for (const { member, employeeId, isEmployeeIdUnique } of desired) {
    const [taken, ...others] = (byUuid.get(member) ?? []).toSorted(better);
    if (taken && others.length > 0) ambiguous.push({ member, taken, others: others.length });
    const sameStaffId = employeeId === null ? [] : (byStaffId.get(employeeId) ?? []);
    const found = taken ?? (isEmployeeIdUnique && sameStaffId.length === 1 ? sameStaffId[0] : undefined);
    if (found) byMember.set(member, found);
  }
  return { byMember, ambiguous };
};

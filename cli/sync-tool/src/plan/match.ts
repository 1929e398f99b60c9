import type { Area } from '../bundle/model.ts';
import type { Subject } from '@ranger-relay/site';
import { managedBy, type DesiredSubject } from '../desired/subjects.ts';
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

/** The subject says, in the present or the older key, that it belongs to the area. */
const records = (subject: Subject, { uuid }: Area): boolean =>
  ['ext_conservation_area', 'ca_uuid'].some((key) => bareUuid(textOf(subject, key) ?? '') === uuid);

/** The area for which an earlier run made the subject; undefined when none did. */
export const markedArea = (subject: Subject): string | undefined => {
  if (textOf(subject, 'ext_managed_by') !== managedBy) return undefined;
  const area = textOf(subject, 'ext_conservation_area');
  return area === undefined ? undefined : bareUuid(area);
};

/** An earlier run made the subject for this area: both marker keys say so. */
export const isOurs = (subject: Subject, { uuid }: Area): boolean => markedArea(subject) === uuid;

const isMarked = (subject: Subject): boolean => markedArea(subject) !== undefined;

/**
 * Of several subjects of one employee: one that a run made, then an active one, then the lowest id. The order is the same for all areas: else
 * each would keep its own.
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

/** The subject of each employee; of several the one that {@link matchSubjects} takes. */
export const subjectsByMember = (present: readonly Subject[]): ReadonlyMap<string, Subject> => {
  const best = new Map<string, Subject>();
  for (const [member, subjects] of grouped(present, memberOf)) {
    const [taken] = subjects.toSorted(better);
    if (taken) best.set(member, taken);
  }
  return best;
};

/** Which subject of the site stands for each employee. */
export interface Matches {
  /** By uuid of the employee. */
  readonly byMember: ReadonlyMap<string, Subject>;
  /** Employees for whom the site has several subjects. */
  readonly ambiguous: readonly { readonly member: string; readonly taken: Subject; readonly others: number }[];
}

/**
 * Matches by the employee's uuid, in any area; and, among subjects without one that record this area, by a staff id that is unique on both
 * sides (site contract, 6).
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
    const sameStaffId = byStaffId.get(employeeId) ?? [];
    const found = taken ?? (isEmployeeIdUnique && sameStaffId.length === 1 ? sameStaffId[0] : undefined);
    if (found) byMember.set(member, found);
  }
  return { byMember, ambiguous };
};

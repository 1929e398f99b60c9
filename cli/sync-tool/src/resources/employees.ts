import { cleanLabel, type Label, labelLimits } from '../bundle/labels/label.ts';
import type { Area, Employee, Names, Usage } from '../bundle/model.ts';

/** Subtype of the subjects that a run creates. */
export const subtype = 'ranger';

/** Members of `additional` of subjects that a run created; null members are removed, absent members stay as on the site. */
export interface ServiceDetails {
  readonly ext_agency?: string | null;
  readonly ext_rank?: string | null;
}

/** A desired subject. */
export interface DesiredSubject {
  /** Uuid of the employee. */
  readonly member: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Staff id, used for matching only when it is unique in the bundle. */
  readonly employeeId: string | null;
  readonly isEmployeeIdUnique: boolean;
  readonly details: ServiceDetails;
}

/** The employees that become subjects, and those that do not. */
export interface DesiredPeople {
  readonly subjects: readonly DesiredSubject[];
  /** Uuids of employed logins that were never on a patrol. */
  readonly logins: ReadonlySet<string>;
  /** Uuids of all employees of the bundle. */
  readonly known: ReadonlySet<string>;
}

/** Truncates a name so that name and suffix fit; the suffix stays. */
const nameOf = ({ name }: Employee, suffix: string, label: Label): string =>
  label(new Map(), name, labelLimits.subject - [...suffix].length) + suffix;

const displayOf = (names: Names, fallback: string, label: Label): string | null => {
  const text = label(names, fallback, labelLimits.subject);
  return text === '' ? null : text;
};

const detailsOf = ({ agency, rank }: Employee, label: Label): ServiceDetails => ({
  ...(agency === undefined ? {} : { ext_agency: agency && displayOf(agency.names, agency.key ?? '', label) }),
  ...(rank === undefined ? {} : { ext_rank: rank && displayOf(rank, '', label) }),
});

const staffIdOf = ({ id }: Employee): string | null => (id === null ? null : cleanLabel(id));

const countsOf = (employees: readonly Employee[]): ReadonlyMap<string | null, number> => {
  const counts = new Map<string | null, number>();
  for (const id of employees.map(staffIdOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
};

/** The input of selecting people. */
export interface PeopleSources {
  readonly employees: readonly Employee[];
  readonly usage: Pick<Usage, 'members'>;
  readonly area: Area;
  readonly nameSuffix: boolean;
}

/**
 * Selects everybody who was on a patrol, and every employed person who is not only a login (bundle contract, 4). Login flags are evaluated
 * per record: a bundle without flags excludes no one.
 */
export const desiredPeople = (sources: PeopleSources, label: Label): DesiredPeople => {
  const { employees, usage, area, nameSuffix } = sources;
  const suffix = nameSuffix ? ` (${cleanLabel(area.id)})` : '';
  const staffIds = countsOf(employees);
  const logins = new Set<string>();
  const subjects = employees.flatMap((employee): DesiredSubject[] => {
    const { uuid, isActive, hasExtLogin } = employee;
    const employeeId = staffIdOf(employee);
    const isMember = usage.members.has(uuid);
    if (!isMember && isActive && hasExtLogin === true) logins.add(uuid);
    if (!isMember && (!isActive || hasExtLogin === true)) return [];
    return [
      {
        member: uuid,
        name: nameOf(employee, suffix, label),
        isActive,
        employeeId,
        isEmployeeIdUnique: employeeId !== null && staffIds.get(employeeId) === 1,
        details: detailsOf(employee, label),
      },
    ];
  });
  return { subjects, logins, known: new Set(employees.map(({ uuid }) => uuid)) };
};

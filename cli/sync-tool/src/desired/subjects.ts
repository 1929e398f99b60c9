import { cleanLabel, type Label, labelLimits } from '../bundle/labels/label.ts';
import type { Area, Employee, Names, Usage } from '../bundle/model.ts';

/** Value of `ext_managed_by` of subjects that a run made. */
export const managedBy = 'patrol-datamodel';

/** Subtype of the subjects that a run makes. */
export const subtype = 'ranger';

/** Members of `additional` that say who a subject is; null ones are to go, absent ones stay as the site has them. */
export interface Identity {
  readonly ext_member_id: string;
  readonly ext_employee_id: string;
  readonly ext_agency?: string | null;
  readonly ext_rank?: string | null;
}

/** A subject that the site is to have. */
export interface DesiredSubject {
  /** Uuid of the employee. */
  readonly member: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Staff id, for matching only when no other employee of the bundle has it. */
  readonly employeeId: string;
  readonly isEmployeeIdUnique: boolean;
  readonly identity: Identity;
}

/** Who becomes a subject, and who does not. */
export interface DesiredPeople {
  readonly subjects: readonly DesiredSubject[];
  /** Uuids of employed logins that never went on a patrol. */
  readonly logins: ReadonlySet<string>;
  /** Uuids of all employees of the bundle. */
  readonly known: ReadonlySet<string>;
}

/** Dates as `2026-01-31`; an end before the start means ended. */
const isEmployed = ({ employment: { start, end } }: Employee, on: string): boolean =>
  start <= on && (end === null || (end >= on && end >= start));

/** Cuts a name so that the whole fits; what is behind it stays. */
const nameOf = ({ givenName, familyName }: Employee, suffix: string, label: Label): string => {
  const text = `${givenName} ${familyName}`.trim();
  return label(new Map(), text, labelLimits.subject - [...suffix].length) + suffix;
};

const displayOf = (names: Names, fallback: string, label: Label): string | null => {
  const text = label(names, fallback, labelLimits.subject);
  return text === '' ? null : text;
};

const identityOf = ({ uuid, id, agency, rank }: Employee, label: Label): Identity => ({
  ext_member_id: uuid,
  ext_employee_id: cleanLabel(id),
  ...(agency === undefined ? {} : { ext_agency: agency && displayOf(agency.names, agency.key ?? '', label) }),
  ...(rank === undefined ? {} : { ext_rank: rank && displayOf(rank, '', label) }),
});

const countsOf = (employees: readonly Employee[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { id } of employees) counts.set(cleanLabel(id), (counts.get(cleanLabel(id)) ?? 0) + 1);
  return counts;
};

/** What deciding about people needs. */
export interface PeopleSources {
  readonly employees: readonly Employee[];
  readonly usage: Pick<Usage, 'members'>;
  readonly area: Area;
  /** Date of the export. */
  readonly referenceDate: string;
  readonly nameSuffix: boolean;
}

/**
 * Everybody who went on a patrol, and everybody employed who is no mere login (bundle contract, 4). Flags are judged record by record: a
 * bundle without them leaves nobody out.
 */
export const desiredPeople = (sources: PeopleSources, label: Label): DesiredPeople => {
  const { employees, usage, area, referenceDate, nameSuffix } = sources;
  const suffix = nameSuffix ? ` (${cleanLabel(area.id)})` : '';
  const staffIds = countsOf(employees);
  const logins = new Set<string>();
  const subjects = employees.flatMap((employee): DesiredSubject[] => {
    const { uuid, id, hasExtLogin } = employee;
    const isMember = usage.members.has(uuid);
    const employed = isEmployed(employee, referenceDate);
    if (!isMember && employed && hasExtLogin === true) logins.add(uuid);
    if (!isMember && (!employed || hasExtLogin === true)) return [];
    return [
      {
        member: uuid,
        name: nameOf(employee, suffix, label),
        isActive: employed,
        employeeId: id,
        isEmployeeIdUnique: staffIds.get(id) === 1,
        identity: identityOf(employee, label),
      },
    ];
  });
  return { subjects, logins, known: new Set(employees.map(({ uuid }) => uuid)) };
};

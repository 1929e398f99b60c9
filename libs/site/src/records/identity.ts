/** Names of the members of `additional` under the word that stands for the external system (contract of the exported bundle, 2). */
export interface SubjectKeys {
  /** Uuid of the employee. */
  readonly member: string;
  /** Staff id. */
  readonly employee: string;
  /** Uuid of the conservation area. */
  readonly area: string;
}

/** The word where none is set. */
export const defaultWord = 'ext';

/** The form of a word. */
export const wordForm = /^[a-z][a-z0-9]{0,15}$/;

/** The members of `additional` for a word. */
export const subjectKeys = (word: string): SubjectKeys => ({
  member: `${word}_member_id`,
  employee: `${word}_employee_id`,
  area: `${word}_ca_uuid`,
});

/** Normalises a uuid for comparisons: no dashes, lower case. */
export const plainId = (id: string): string => id.replaceAll('-', '').toLowerCase();

/** A uuid of 32 digits as it is written in `additional`: with dashes. */
export const dashedId = (uuid: string): string => uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Values of `ext_managed_by`: a run created the subject, or it only matched one that named no area. */
export const managedBy = 'patrol-datamodel';
export const matchedBy = 'matched';

/** For whom a subject stands (contract of the exported bundle, 8 and 11). Uuids are 32 lower-case digits. */
export interface SubjectIdentity {
  readonly member: string | undefined;
  /** Whether the uuid of the employee is written with dashes in lower case: the import compares the text. */
  readonly isExact: boolean;
  readonly employeeId: string | undefined;
  /** The area that the subject names. */
  readonly area: string | undefined;
  /** The area for which a run of this tool created it. */
  readonly markedArea: string | undefined;
  /** The area for which a run of this tool or of the importer made it; such a subject may be deactivated. */
  readonly madeFor: string | undefined;
}

/** Reads the identity of a subject from its `additional`. */
export const identityOf = (
  additional: Readonly<Record<string, unknown>>,
  { member: memberKey, employee, area: areaKey }: SubjectKeys,
): SubjectIdentity => {
  const text = (key: string): string | undefined => {
    const value = additional[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const uuid = (key: string): string | undefined => {
    const value = text(key);
    return value === undefined ? undefined : plainId(value);
  };
  const member = uuid(memberKey);
  const manager = text('ext_managed_by');
  const markedArea = manager === managedBy ? uuid('ext_conservation_area') : undefined;
  const importedFor = member === undefined || manager === matchedBy ? undefined : uuid(areaKey);
  return {
    member,
    isExact: member !== undefined && text(memberKey) === dashedId(member),
    employeeId: text(employee),
    area: uuid(areaKey) ?? uuid('ca_uuid') ?? uuid('ext_conservation_area'),
    markedArea,
    madeFor: markedArea ?? importedFor,
  };
};

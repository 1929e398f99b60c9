import { RelayError } from '@ranger-relay/errors';
import { bySuitability, plainId, type Subject } from '@ranger-relay/site';
import { plural } from '@ranger-relay/terminal';
import type { Area, Bundle } from '../bundle/model.ts';
import type { DesiredPeople, DesiredSubject } from '../resources/employees.ts';

/** The subject of each employee; if there are several, the one that {@link matchSubjects} chooses. */
export const subjectsByMember = (present: readonly Subject[]): ReadonlyMap<string, Subject> =>
  // The first of several comes last, and stays.
  new Map(
    present
      .toSorted(bySuitability)
      .toReversed()
      .flatMap((subject) => (subject.identity.member === undefined ? [] : [[subject.identity.member, subject]])),
  );

/** The subject of the site that stands for each employee. */
export interface Matches {
  /** By the uuid of the employee. */
  readonly byMember: ReadonlyMap<string, Subject>;
  /** Employees for whom the site has several subjects. */
  readonly ambiguous: readonly { readonly member: string; readonly taken: Subject; readonly others: number }[];
}

/** Number of active subjects that name this area, or that a run made for it. */
export const activeIn = (present: readonly Subject[], { uuid }: Pick<Area, 'uuid'>): number =>
  present.filter(({ is_active, identity: { area, madeFor } }) => is_active && (area === uuid || madeFor === uuid))
    .length;

const identityKey = /^([a-z][a-z0-9]{0,15})_(member_id|ca_uuid)$/;

/** The identities of a subject, under any word. */
const identitiesOf = ({ additional, is_active: isActive }: Subject) =>
  Object.entries(additional).flatMap(([key, value]) => {
    const [, word = '', is] = identityKey.exec(key) ?? [];
    return is !== undefined && typeof value === 'string'
      ? [{ word, isMember: is === 'member_id', uuid: plainId(value), isActive }]
      : [];
  });

/** The employees for whom a subject stands, under any word. */
export const membersUnderAnyWord = (subject: Subject): readonly string[] =>
  identitiesOf(subject).flatMap(({ isMember, uuid }) => (isMember ? [uuid] : []));

/**
 * The area and the employees of the bundle that active subjects carry under another word, and none under that of the run: a run would make
 * them a second time. An undo leaves what a run with a wrong word made inactive.
 */
const underOtherWords = (present: readonly Subject[], { known }: DesiredPeople, area: Area, word: string) => {
  const found = present.flatMap(identitiesOf);
  const ours = new Set(found.flatMap((each) => (each.word === word ? [each.uuid] : [])));
  return found.filter(({ isActive, uuid }) => isActive && !ours.has(uuid) && (uuid === area.uuid || known.has(uuid)));
};

/** What the word of a run is compared with. */
interface WordSources {
  readonly bundle: Bundle;
  readonly people: DesiredPeople;
  readonly present: readonly Subject[];
  readonly options: { readonly word: string };
  readonly isWordSet: boolean;
}

/**
 * Compares the word of the run with those of the bundle and the site; returns a warning where somebody set the word.
 * @throws RelayError `word_differs` where nobody did
 */
export const checkWord = ({
  bundle,
  people,
  present,
  options: { word },
  isWordSet,
}: WordSources): readonly string[] => {
  const others = underOtherWords(present, people, bundle.manifest.area, word);
  const found = bundle.otherWord ?? others[0]?.word;
  if (found === undefined) return [];
  const where = bundle.otherWord === undefined ? 'The site' : 'The bundle';
  if (!isWordSet) throw new RelayError('word_differs', { details: { where, word: found } });
  const carried = new Set(others.map(({ uuid }) => uuid));
  const twice = people.subjects.filter(({ member }) => carried.has(member)).length;
  const many = twice === 0 ? '' : `, which would make ${plural(twice, 'person', 'people')} of the bundle a second time`;
  return [
    `${where} names the external system "${found}", and this run "${word}"${many}; set ext.word: ${found} where it is the same system`,
  ];
};

/**
 * Matches subjects in any area by the uuid of the employee. A subject without a uuid that names this area matches by staff id, if the staff
 * id is unique on both sides (site contract, 6).
 */
export const matchSubjects = (present: readonly Subject[], desired: readonly DesiredSubject[], area: Area): Matches => {
  const byUuid = Map.groupBy(present, ({ identity }) => identity.member);
  const byStaffId = Map.groupBy(present, ({ identity }) =>
    identity.member === undefined && identity.area === area.uuid ? identity.employeeId : undefined,
  );
  const byMember = new Map<string, Subject>();
  const ambiguous: Matches['ambiguous'][number][] = [];
  for (const { member, employeeId, isEmployeeIdUnique } of desired) {
    const [taken, ...others] = (byUuid.get(member) ?? []).toSorted(bySuitability);
    if (taken && others.length > 0) ambiguous.push({ member, taken, others: others.length });
    const sameStaffId = employeeId === null ? [] : (byStaffId.get(employeeId) ?? []);
    const found = taken ?? (isEmployeeIdUnique && sameStaffId.length === 1 ? sameStaffId[0] : undefined);
    if (found) byMember.set(member, found);
  }
  return { byMember, ambiguous };
};

import { lacksPermission, type Subject } from '@ranger-relay/site';
import type { Requirement } from '../bundle/patrols/requirements.ts';
import { checkWord, subjectsByMember } from '../plan/match.ts';
import { eventTypesOf } from './event-checks.ts';
import { valueOf } from './facts.ts';
import { type Finding, findingOf, generalFinding, type Lack } from './finding.ts';
import type { SiteCheck, Sources } from './rehearse.ts';
import { needed } from './vocabulary-checks.ts';

/** A member of legs and its subject. */
interface Member {
  readonly requirement: Requirement;
  readonly name: string;
  readonly subject: Subject | undefined;
}

const membersOf = (sources: Sources, subjects: readonly Subject[]): readonly Member[] => {
  const present = subjectsByMember(subjects);
  const names = new Map(sources.bundle.employees.map(({ uuid, name, id }) => [uuid, id ? `${name} (${id})` : name]));
  return needed(sources, 'member').map((requirement) => {
    const name = names.get(requirement.key) ?? `employee ${requirement.key}, whom the bundle lacks`;
    return {
      requirement,
      name: requirement.leads ? `${name}, a leader,` : name,
      subject: present.get(requirement.key),
    };
  });
};

/** Says under which other word the members may be found. */
const otherWord = ({ bundle, desired, word }: Sources, present: readonly Subject[]): readonly Finding[] =>
  checkWord({ bundle, people: desired.people, present, options: { word }, isWordSet: true }).map((message) =>
    generalFinding({
      code: 'subjects',
      level: 'warning',
      who: 'operator',
      message,
      remedy: 'Rehearse again with this word',
    }),
  );

const lacks = (of: readonly Member[], state: string): Lack[] =>
  of.map(({ name, requirement }) => ({ text: `${name} ${state}`, requirement }));

/** Subjects of the members of legs: each must be there, and an active one must be one that a patrol may name. */
export const checkSubjects: SiteCheck = (sources, facts) => {
  const resolved = valueOf(facts.resolved);
  const present = valueOf(facts.subjects);
  const members = membersOf(sources, present);
  const missing = members.filter(({ subject }) => subject === undefined);
  const misspelt = members.filter(({ subject }) => subject?.identity.isExact === false);
  const unlisted = members.filter(
    ({ subject }) => subject?.is_active && subject.identity.isExact && resolved?.has(subject.id) !== true,
  );
  const code = 'subjects';
  const hidden = findingOf(
    {
      code,
      level: 'warning',
      who: 'site_admin',
      message: 'The site does not show which subjects a patrol may name',
      remedy: 'Let the token view the patrol configuration',
    },
    resolved === null ? lacks(unlisted, 'is not visible') : [],
  );
  return [
    ...findingOf(
      {
        code,
        level: 'blocks',
        who: 'site_admin',
        message: 'Members of patrols have no subject that the import finds, or an active one that patrols cannot name',
        remedy:
          'Run sync-tool patrol-datamodel for missing subjects and spellings; put the others into a member group of the patrol configuration',
      },
      [
        ...lacks(missing, 'is missing'),
        ...lacks(misspelt, 'has its id in another spelling'),
        ...(resolved === null ? [] : lacks(unlisted, 'cannot be named')),
      ],
    ),
    ...hidden,
    ...otherWord(sources, present),
  ];
};

/** Inactive subjects: the import makes them active for its time, for which they must be in a member group. */
export const checkInactiveMembers: SiteCheck = (sources, facts) => {
  const grouped = valueOf(facts.grouped);
  const inactive = membersOf(sources, valueOf(facts.subjects)).filter(({ subject }) => subject?.is_active === false);
  const [inside, outside]: [Lack[], Lack[]] = [[], []];
  for (const { name, requirement, subject } of inactive)
    (grouped?.has(subject?.id ?? '') ? inside : outside).push({ text: name, requirement });
  const code = 'inactive_members';
  const who = 'site_admin';
  return [
    ...findingOf(
      {
        code,
        level: grouped === null ? 'warning' : 'blocks',
        who,
        message:
          grouped === null
            ? 'The site does not show whether inactive members of patrols are in a member group'
            : 'Inactive members of patrols are in no member group, so the import cannot make them active for its time',
        remedy:
          'Run sync-tool patrol-datamodel, which puts people of the bundle into the roster group; put the others into a member group of the patrol configuration',
      },
      outside,
    ),
    ...findingOf(
      {
        code,
        level: 'warning',
        who,
        message: 'Inactive members of patrols must be active while the import runs',
        remedy: 'Let the import make them active and inactive again; do not change them until it ends',
      },
      inside,
    ),
  ];
};

/** Permissions of every import, by model. */
const always = [
  ['patrol', 'add'],
  ['patrol', 'change'],
  ['patrol', 'view'],
  ['eventrelatedsegments', 'add'],
] as const;

/** Permissions of the token, as far as the site shows them. */
export const checkPermissions: SiteCheck = (sources, facts) => {
  const user = valueOf(facts.user);
  if (user.isSuperuser) return [];
  const about = { code: 'permissions', who: 'site_admin' } as const;
  const remedy = 'Grant the owner of the token these permissions';
  if (user.permissions === null || Object.keys(user.permissions).length === 0) {
    const texts = always.map(([model, action]) => `${action}_${model}`);
    const message = 'The site does not show whether the token has the permissions of an import';
    return [generalFinding({ ...about, level: 'warning', message, remedy }, { count: texts.length, examples: texts })];
  }
  const message = 'The token lacks permissions of an import';
  const missing = always.filter(([model, action]) => lacksPermission(user, model, action));
  const texts = missing.map(([model, action]) => `${action}_${model} is missing`);
  const general: Finding[] =
    texts.length === 0
      ? []
      : [{ ...about, level: 'blocks', message, remedy, count: texts.length, examples: texts, affects: 'all' }];
  if ('failure' in facts.eventTypes) return general;
  const lacks = eventTypesOf(sources, facts.eventTypes.value).flatMap(({ requirement, type }): Lack[] =>
    type === undefined || type.category === '' || !lacksPermission(user, type.category, 'add')
      ? []
      : [{ text: `add_${type.category}, for ${requirement.key}`, requirement }],
  );
  return [...general, ...findingOf({ ...about, level: 'blocks', message, remedy }, lacks)];
};

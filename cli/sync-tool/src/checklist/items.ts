import type { SyncStep } from '@ranger-relay/contracts';
import type { ErrorCode, RelayError } from '@ranger-relay/errors';
import type { PatrolType, Team } from '@ranger-relay/site';
import { plural } from '@ranger-relay/terminal';
import { type Attribute, type Bundle, hasOptions } from '../bundle/model.ts';
import { reservedKeys } from '../bundle/values.ts';
import { coreFields, type DesiredChoice, unnamedStation } from '../resources/choice.ts';
import type { DesiredType } from '../resources/patrol-type.ts';
import type { Label } from '../bundle/labels/label.ts';
import { type NeededTeam, neededTeams, teamState } from '../plan/teams.ts';
import { subtype } from '../resources/employees.ts';
import { type Desired, firstNames, permissionsOf, skips, stepNames } from '../resources/index.ts';

/** The role that must act. */
export type Actor = 'operator' | 'site_admin' | 'ext_admin';

/** One manual task. Texts are plain, without markup. */
export interface Item {
  /** Stable id: the same task has the same id in every run. */
  readonly id: string;
  readonly who: Actor;
  readonly text: string;
  /** Known to be done; a task that cannot be verified stays open. */
  readonly done: boolean;
  /** Whether the site's data can show that the task is done. */
  readonly visible: boolean;
  /** Whether what it is about is made anew: it is not done, whoever ticked it before. */
  readonly isNew?: boolean;
}

/** The input of the list. */
export interface ItemSources {
  readonly bundle: Bundle;
  readonly desired: Desired;
  readonly label: Label;
  /** The word that stands for the external system. */
  readonly word: string;
  readonly patrolSchemas: boolean;
  /** The requested group name, and the name of the group that was found; undefined when the site could not be asked. */
  readonly roster: { readonly asked: string | null; readonly found: string | null | undefined };
  /** Patrol types of the site before the run; null when they could not be read. */
  readonly types: readonly PatrolType[] | null;
  /** Teams of the site; null when it does not show them. */
  readonly teams: readonly Team[] | null;
  /** Names of active members whom a patrol cannot name; undefined when that was not looked at. */
  readonly unlisted: readonly string[] | undefined;
  /** What a person must do on the site because the run leaves it. */
  readonly remarks: readonly string[];
  /** What the run leaves for other areas, or rebuilds: nothing is to do. */
  readonly notes: readonly string[];
  readonly failures: ReadonlyMap<SyncStep, RelayError>;
}

const open = (id: string, who: Actor, text: string, visible = false, done = false): Item => ({
  id,
  who,
  text,
  visible,
  done,
});

const iconItem = (
  { value, display, transport: { iconKey, classKey, requiresPilot } }: DesiredType,
  types: ItemSources['types'],
): Item => {
  const hints = [
    iconKey && `icon of the export: ${iconKey}`,
    classKey && `class: ${classKey}`,
    requiresPilot && 'needs a pilot',
  ].filter((hint) => typeof hint === 'string');
  const hint = hints.length > 0 ? ` (${hints.join(', ')})` : '';
  const text = `Pick an icon for the patrol type "${display}" [${value}]${hint}`;
  const present = types?.find((type) => type.value === value);
  const isNew = types !== null && !present;
  const item = open(`icon.${value}`, 'site_admin', text, isNew || present?.icon !== undefined, Boolean(present?.icon));
  return { ...item, isNew };
};

const stationItems = ({ bundle: { stations, usage } }: ItemSources): Item[] =>
  stations.flatMap(({ uuid, names }) =>
    names.size === 0 && usage.stations.has(uuid)
      ? [
          open(
            `station.${uuid}`,
            'ext_admin',
            `Give station ${uuid} a real name; patrols use it, and it is shown as "${unnamedStation(uuid)}"`,
            true,
          ),
        ]
      : [],
  );

const equalNames = (choices: readonly DesiredChoice[]): Item[] => {
  const byDisplay = Map.groupBy(
    choices.filter(({ isActive }) => isActive),
    ({ display }) => display,
  );
  return [...byDisplay]
    .filter(([, same]) => same.length > 1)
    .map(([display, same]) =>
      open(
        `same-station.${same[0]?.value ?? ''}`,
        'ext_admin',
        `${same.length} stations are named "${display}"; nobody can tell them apart: ${same.map(({ value }) => value).join(', ')}`,
      ),
    );
};

/** An attribute whose key is that of a core field has its options in a field of another name (bundle contract, 3). */
const renamedItem = (attribute: Attribute): Item[] => {
  const { property, choiceField } = attribute;
  // A word has no `_`.
  const name = property?.replace(/^[^_]+_/, '') ?? '';
  if (!hasOptions(attribute) || property === null || choiceField === null || !reservedKeys.has(name)) return [];
  return [
    open(
      `renamed.${choiceField}`,
      'site_admin',
      `The options of "${property}" are in the choice field ${choiceField}: the name patrol_${name} is taken by a field of the tool`,
      true,
      true,
    ),
  ];
};

const rosterItem = ({ asked, found }: ItemSources['roster']): Item => {
  if (found === undefined)
    return open('roster.check', 'site_admin', 'Check the roster group; the token could not read it', true);
  if (found === null && asked !== null)
    return open(
      'roster.create',
      'site_admin',
      `Create the subject group "${asked}" and let the token view it, or correct --roster-group; then run again`,
      true,
    );
  if (found === null) return open('roster.choose', 'site_admin', skips.no_group.remedy, true);
  // Who names the group has judged it; otherwise only a person can, of each group anew.
  if (asked !== null) {
    const text = `The roster group is "${found}", as --roster-group says`;
    return open('roster.named', 'site_admin', text, true, true);
  }
  const text = `Check that "${found}" is the roster group you want, else choose another or pass --roster-group`;
  return open(`roster.check.${found}`, 'site_admin', text);
};

const teamItem = ({ uuid, name, members, patrols }: NeededTeam, teams: readonly Team[] | null): Item => {
  const state = teams && teamState(teams, name);
  const facts = [
    ...(members === null ? [] : [plural(members, 'member')]),
    ...(patrols === 0 ? [] : [`named by ${plural(patrols, 'patrol')}`]),
  ].join(', ');
  const team = `"${name}"${facts === '' ? '' : ` (${facts})`}`;
  const text = state === 'inactive' ? `Make the team ${team} active` : `Create the team ${team}`;
  return open(`team.${uuid}`, 'site_admin', text, teams !== null, state === 'active');
};

/** Id of the item about members whom a patrol cannot name. */
export const unlistedId = 'members.unlisted';

const unlistedItems = ({ unlisted = [] }: ItemSources): Item[] => {
  if (unlisted.length === 0) return [];
  const names = firstNames(unlisted);
  const text = `Put into a member group of the patrol configuration, so that patrols can name them (${unlisted.length}): ${names}`;
  return [open(unlistedId, 'site_admin', text, true)];
};

const permissionItems = (failures: ItemSources['failures']): Item[] => {
  const all =
    'Grant the people who plan and lead patrols the permissions that they need (permission sets have no call)';
  const missing = [...failures].filter(([, { code }]) => code === 'site_forbidden');
  return [
    open('permissions', 'site_admin', all),
    ...missing.map(([step]) =>
      open(
        `permission.${step}`,
        'site_admin',
        `Let the token do the step "${stepNames[step]}": it needs ${permissionsOf[step]}. Then run again`,
        true,
      ),
    ),
  ];
};

/** What must be done on the site before a failed step can succeed, by the code of its failure. */
const setupOf = (step: SyncStep): Partial<Record<ErrorCode, readonly [Actor, string]>> => ({
  subject_not_visible: ['site_admin', 'Let the token view the default subject group, then run again'],
  subjects_hidden: [
    'site_admin',
    'Let the token view the groups of the subjects that earlier runs made, then run again; if they were deleted, run with --recreate-missing',
  ],
  subject_subtype_unknown: ['site_admin', `Create the subject subtype "${subtype}", then run again`],
  default_group_missing: ['site_admin', 'Set a default subject group, then run again'],
  site_too_old: ['operator', `Update the site: it is too old for the step "${stepNames[step]}"; then run again`],
});

const setupItems = (failures: ItemSources['failures']): Item[] =>
  [...failures].flatMap(([step, { code }]) => {
    const [who, text] = setupOf(step)[code] ?? [];
    return who && text ? [open(`setup.${step}.${code}`, who, text, true)] : [];
  });

/** Id of the line that says that a step failed. */
export const failedId = (step: SyncStep): string => `failed.${step}`;

/** Whether a line is there since a step failed. */
export const isOfFailed = (id: string, step: SyncStep): boolean =>
  [failedId(step), `permission.${step}`].includes(id) || id.startsWith(`setup.${step}.`);

const keptPrefix = 'kept.';

/** What a sentence is about stands before its first colon. */
const keptId = (text: string): string => `${keptPrefix}${text.split(':', 1)[0] ?? text}`;

/** Whether an item says what a run leaves or rebuilds. */
export const isKept = (id: string): boolean => id.startsWith(keptPrefix);

/** Numbers the second and later items of one id, so that each has a line of its own. */
const withUniqueIds = (items: readonly Item[]): readonly Item[] => {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const count = (counts.get(item.id) ?? 0) + 1;
    counts.set(item.id, count);
    return count === 1 ? item : Object.assign({}, item, { id: `${item.id}.${count}` });
  });
};

const schemasItem = (isOn: boolean): Item =>
  isOn
    ? open('patrol_schemas', 'operator', 'The preview feature patrol_schemas is on', true, true)
    : open('patrol_schemas', 'operator', skips.feature_off.remedy, true);

/** A kind of task always stands on the list, so that nobody has to ask whether it was looked at. */
const orNothing = (items: readonly Item[], nothing: Item): readonly Item[] => (items.length > 0 ? items : [nothing]);

/** All manual tasks that remain after a run, or would remain after a dry run (bundle contract, 1). */
export const itemsOf = (sources: ItemSources): readonly Item[] => {
  const { bundle, desired, patrolSchemas, roster, remarks, notes, failures } = sources;
  return withUniqueIds([
    schemasItem(patrolSchemas),
    ...permissionItems(failures),
    ...setupItems(failures),
    rosterItem(roster),
    ...unlistedItems(sources),
    ...orNothing(
      neededTeams(sources).map((team) => teamItem(team, sources.teams)),
      open('teams.none', 'site_admin', 'Create teams: the bundle needs none', true, true),
    ),
    ...orNothing(
      desired.types.map((type) => iconItem(type, sources.types)),
      open('icons.none', 'site_admin', 'Pick icons for patrol types: the bundle has none', true, true),
    ),
    ...bundle.attributes.flatMap(renamedItem),
    ...stationItems(sources),
    ...remarks.map((text) => open(keptId(text), 'site_admin', text, true)),
    ...notes.map((text) => open(keptId(text), 'site_admin', text, true, true)),
    ...equalNames(desired.choices.get(coreFields.station) ?? []),
    ...(bundle.employees.length === 0
      ? [open('employees', 'ext_admin', 'The bundle has no employees: nobody becomes a subject. Check the export')]
      : []),
  ]);
};

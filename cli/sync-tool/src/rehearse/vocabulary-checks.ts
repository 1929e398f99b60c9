import type { Choice } from '@ranger-relay/site';
import { labelLimits } from '../bundle/labels/label.ts';
import type { Names } from '../bundle/model.ts';
import { optionKey, type Requirement, type RequirementKind } from '../bundle/patrols/requirements.ts';
import { neededTeams, teamState } from '../plan/teams.ts';
import { jsonHalvesOf, member } from '../form/model.ts';
import { choiceKey, coreFields } from '../resources/choice.ts';
import { valueOf } from './facts.ts';
import { findingOf, generalFinding, type Lack } from './finding.ts';
import type { SiteCheck, Sources } from './rehearse.ts';

/** What patrols need of one kind. */
export const needed = ({ bundle: { requirements } }: Sources, kind: RequirementKind): readonly Requirement[] =>
  requirements.all.filter((requirement) => requirement.kind === kind);

const byUuid = <T extends { readonly uuid: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
  new Map(records.map((record) => [record.uuid, record]));

/** A record as an example names it: its label and its value. */
const named = ({ label }: Sources, what: string, names: Names, value: string): string => {
  const text = label(names, value, labelLimits.choice);
  return `${what} ${text === value ? '' : `"${text}" `}[${value}]`;
};

type State = 'is missing' | 'is inactive' | undefined;

const stateOf = (present: { readonly is_active: boolean } | undefined): State => {
  if (present === undefined) return 'is missing';
  return present.is_active ? undefined : 'is inactive';
};

/** Types of patrols: one for each transport that legs use. */
export const checkPatrolTypes: SiteCheck = (sources, facts) => {
  const transports = byUuid(sources.bundle.transports);
  const present = new Map(valueOf(facts.types).map((type) => [type.value, type]));
  const [lacking, unknown]: [Lack[], Lack[]] = [[], []];
  for (const requirement of needed(sources, 'transport')) {
    const transport = transports.get(requirement.key);
    if (transport === undefined) unknown.push({ text: `transport ${requirement.key}`, requirement });
    else if (transport.value !== null) {
      const state = stateOf(present.get(transport.value));
      const text = named(sources, 'type', transport.names, transport.value);
      if (state !== undefined) lacking.push({ text: `${text} ${state}`, requirement });
    }
  }
  const code = 'patrol_types';
  return [
    ...findingOf(
      {
        code,
        level: 'blocks',
        who: 'site_admin',
        message: 'Patrol types that legs need are missing or inactive on the site',
        remedy:
          'Run sync-tool patrol-datamodel for missing types; make inactive ones active on the site until the import has ended',
      },
      lacking,
    ),
    ...findingOf(
      {
        code,
        level: 'warning',
        who: 'ext_admin',
        message: 'Legs name transports that the bundle lacks; they get no patrol type',
        remedy: 'Correct the legs in the external system and export again, or accept that they have no type',
      },
      unknown,
    ),
  ];
};

/** Whether a form has a field that can be filled in. */
const fieldState = (json: unknown, property: string): 'is missing' | 'is deprecated' | undefined => {
  const halves = jsonHalvesOf(json, property);
  if (halves.length === 0) return 'is missing';
  return halves.every((half) => member(half, 'deprecated') === true) ? 'is deprecated' : undefined;
};

const formFinding = {
  code: 'segment_schema',
  level: 'blocks',
  who: 'site_admin',
  message: 'Universal patrol fields that patrols fill in are missing or deprecated',
  remedy: 'Run sync-tool patrol-datamodel; make deprecated fields available again on the site',
} as const;

/** Fields of the form: those of every patrol, and those of the custom attributes that patrols have values for. */
export const checkForm: SiteCheck = (sources, facts) => {
  const json = valueOf(facts.form)?.json;
  const attributes = byUuid(sources.bundle.attributes);
  const core = sources.desired.fields.flatMap((field) => {
    const state = field.core ? fieldState(json, field.property) : undefined;
    return state === undefined ? [] : [`field ${field.property} ${state}`];
  });
  const lacking = needed(sources, 'field').flatMap((requirement): Lack[] => {
    const attribute = attributes.get(requirement.key);
    if (!attribute?.isActive || attribute.property === null || attribute.type === null) return [];
    const state = fieldState(json, attribute.property);
    return state === undefined ? [] : [{ text: `field ${attribute.property} ${state}`, requirement }];
  });
  const [custom] = findingOf(formFinding, lacking);
  if (core.length === 0) return custom ? [custom] : [];
  const examples = [...core, ...(custom?.examples ?? [])];
  return [generalFinding(formFinding, { count: core.length + lacking.length, examples, affects: 'all' })];
};

/** An option that patrols use; what the bundle itself says against it comes first. */
interface UsedOption {
  readonly requirement: Requirement;
  readonly text: string;
  readonly field: string;
  /** Null where the bundle has no such record. */
  readonly value: string | null;
  readonly isActive: boolean;
}

const usedOptions = (sources: Sources): readonly UsedOption[] => {
  const { bundle, desired } = sources;
  const displays = new Map(
    [...desired.choices.values()].flat().map((option) => [optionKey(option.field, option.value), option]),
  );
  const option = (
    what: string,
    field: string,
    value: string | null | undefined,
    requirement: Requirement,
  ): UsedOption => {
    const wanted = value ? displays.get(optionKey(field, value)) : undefined;
    const shown = wanted === undefined ? requirement.key : `"${wanted.display}" [${wanted.value}]`;
    return {
      requirement,
      text: `${what} ${shown}`,
      field,
      value: wanted?.value ?? null,
      isActive: wanted?.isActive ?? false,
    };
  };
  const mandates = byUuid(bundle.mandates);
  const classOf = (key: string) =>
    bundle.patrolClasses.find((each) => each.key === key) ??
    bundle.patrolClasses.find(({ value }) => value === key.toLowerCase());
  return [
    ...needed(sources, 'mandate').map((need) =>
      option('mandate', coreFields.mandate, mandates.get(need.key)?.value, need),
    ),
    ...needed(sources, 'station').map((need) => option('station', coreFields.station, need.key, need)),
    ...needed(sources, 'class').map((need) => option('class', coreFields.patrolClass, classOf(need.key)?.value, need)),
    ...needed(sources, 'option').map((need) => {
      const [field = '', value = ''] = need.key.split('/');
      return option(`option of ${field}`, field, value, need);
    }),
  ];
};

/** Options that patrols use. The import takes a value without an option; the form does not show it. */
export const checkChoices: SiteCheck = (sources, facts) => {
  const choices = valueOf(facts.choices);
  const present = new Map<string, Choice>();
  for (const [field, options] of choices)
    for (const each of options) present.set(optionKey(field, choiceKey(field, each.value)), each);
  const [ours, theirs]: [Lack[], Lack[]] = [[], []];
  for (const { requirement, text, field, value, isActive } of usedOptions(sources)) {
    const state = value === null ? 'is not in the bundle' : stateOf(present.get(optionKey(field, value)));
    if (state !== undefined) (isActive ? ours : theirs).push({ text: `${text} ${state}`, requirement });
  }
  const about = { code: 'choices', level: 'warning' } as const;
  return [
    ...findingOf(
      {
        ...about,
        who: 'site_admin',
        message: 'Options that patrols use are missing or inactive on the site',
        remedy: 'Run sync-tool patrol-datamodel',
      },
      ours,
    ),
    ...findingOf(
      {
        ...about,
        who: 'ext_admin',
        message: 'Patrols use options that are inactive, or do not exist, in the external system',
        remedy: 'Make them active there and export again, or accept that nobody can choose them on the site',
      },
      theirs,
    ),
  ];
};

/** Teams that patrols name. */
export const checkTeams: SiteCheck = (sources, facts) => {
  const used = needed(sources, 'team');
  if (used.length === 0) return [];
  const teams = valueOf(facts.teams);
  const names = new Map(neededTeams(sources).map(({ uuid, name }) => [uuid, name]));
  const lacking = used.flatMap((requirement): Lack[] => {
    const name = names.get(requirement.key) ?? requirement.key;
    const state = teams && teamState(teams, name);
    if (state === 'active') return [];
    return [{ text: `team "${name}" is ${state ?? 'not visible'}`, requirement }];
  });
  return findingOf(
    {
      code: 'teams',
      level: teams === null ? 'warning' : 'blocks',
      who: 'site_admin',
      message:
        teams === null
          ? 'The site does not show whether it has the teams that patrols name'
          : 'Teams that patrols name are missing or inactive',
      remedy: 'Create these teams in the patrol configuration of the site, under these names, and make them active',
    },
    lacking,
  );
};

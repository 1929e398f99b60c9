import { fullToken, type TokenChange } from './tokens.ts';
import { type Choice, type Group, type Patrol, type PatrolType, pulledTables, type Subject } from './state/records.ts';
import type { SubjectSource, Tables, Team } from './state/records.ts';
import { settingNames, type Settings, type SiteState } from './state/state.ts';
import type { SiteSwitches } from './switches.ts';

type With<T, Needed extends keyof T> = Partial<T> & Pick<T, Needed>;

type Pulled = Exclude<(typeof pulledTables)[number], 'subjectSources'>;

type PulledSeed = { readonly [Name in Pulled]?: readonly Tables[Name][] } & {
  readonly subjectSources?: readonly Omit<SubjectSource, 'id'>[];
};

/** Content of a site; missing members, ids included, get defaults. Unknown members are stored and returned. */
export interface Seed extends Partial<Omit<Settings, 'switches'>>, PulledSeed {
  readonly switches?: Partial<SiteSwitches>;
  readonly types?: readonly With<PatrolType, 'value'>[];
  /** `types`: values or ids; one segment each. */
  readonly patrols?: readonly { readonly id?: string; readonly types: readonly string[] }[];
  readonly choices?: readonly With<Choice, 'field' | 'value'>[];
  readonly subjects?: readonly With<Subject, 'name'>[];
  readonly groups?: readonly With<Group, 'name'>[];
  readonly teams?: readonly With<Team, 'value'>[];
  readonly tokens?: readonly TokenChange[];
}

/** Defaults of seeds. */
export interface SeedOptions {
  readonly newId: () => string;
  /** Current content of the site. */
  readonly now: Pick<SiteState, 'switches' | 'types'>;
}

/** Members that records get which a seed leaves out, besides their ids. */
const defaults = {
  types: ({ value }: With<PatrolType, 'value'>, ordernum: number): Omit<PatrolType, 'id'> => ({
    value,
    display: value,
    ordernum,
    icon: null,
    icon_id: null,
    default_priority: 0,
    schema: null,
    is_active: true,
  }),
  choices: ({ field, value }: With<Choice, 'field' | 'value'>): Omit<Choice, 'id'> => ({
    model: 'activity.event',
    field,
    value,
    display: value,
    ordernum: null,
    icon: null,
    is_active: true,
  }),
  subjects: ({ name }: With<Subject, 'name'>): Omit<Subject, 'id'> => ({
    name,
    subject_type: 'person',
    subject_subtype: 'ranger',
    is_active: true,
    additional: {},
  }),
  groups: ({ name }: With<Group, 'name'>): Omit<Group, 'id'> => ({ name, parent: null, hidden: false, subjects: [] }),
  teams: ({ value }: With<Team, 'value'>): Omit<Team, 'id'> => ({ value, display: value, is_active: true }),
};

/** A whole record: as it was dumped, or from the types that it uses. */
const patrolOf = (newId: () => string, given: object, types: readonly PatrolType[]): Patrol => {
  const patrol = { id: newId(), ...given } as Partial<Patrol> & { id: string; types?: readonly string[] };
  if (patrol.patrol_segments) return patrol as Patrol;
  const idOf = (key: string): string => types.find(({ value }) => value === key)?.id ?? key;
  const segments = (patrol.types ?? []).map((key) => ({ id: newId(), patrol_type: idOf(key) }));
  return { id: patrol.id, patrol_segments: segments };
};

/** Makes a seed whole; tables and settings that it leaves out are left out. */
export const wholeSeed = (seed: Seed, { newId, now }: SeedOptions): Partial<SiteState> => {
  const settings = settingNames.filter((name) => seed[name] !== undefined).map((name) => [name, seed[name]]);
  const whole = <Name extends keyof typeof defaults>(name: Name): { readonly [Key in Name]?: Tables[Name][] } => {
    const fill = defaults[name] as (given: object, at: number) => object;
    const rows = seed[name]?.map((given, at) => ({ id: newId(), ...fill(given, at), ...given }));
    return (rows ? { [name]: rows } : {}) as { [Key in Name]?: Tables[Name][] };
  };
  const { types } = whole('types');
  const pulled = pulledTables.flatMap((name) => {
    const rows = seed[name]?.map((row) => ('id' in row ? row : { id: newId(), ...row }));
    return rows ? [[name, rows]] : [];
  });
  return {
    ...Object.fromEntries(settings),
    ...Object.fromEntries(pulled),
    ...(seed.switches ? { switches: { ...now.switches, ...seed.switches } } : {}),
    ...(types ? { types } : {}),
    ...(seed.patrols ? { patrols: seed.patrols.map((given) => patrolOf(newId, given, types ?? now.types)) } : {}),
    ...whole('choices'),
    ...whole('subjects'),
    ...whole('groups'),
    ...whole('teams'),
    ...(seed.tokens ? { tokens: seed.tokens.map((given) => fullToken(newId, given)) } : {}),
  };
};

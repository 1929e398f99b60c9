import { defaultSwitches, type SiteSwitches } from '../switches.ts';
import { tableNames, type TableName, type Tables } from './records.ts';
import type { Volume } from './volume.ts';

/** Settings of a site besides its tables. */
export interface Settings {
  readonly switches: SiteSwitches;
  /** The document of the form (site contract, section 5), valid or not; null: there is none. */
  readonly form: unknown;
  /** Id of the group that new subjects join; null: none is set, and nobody can be created. */
  readonly default_group: string | null;
  /** Ids of the member groups of the patrol configuration, in order; ids of subjects may stand among them. */
  readonly member_groups: readonly string[];
  /** Subject subtypes that exist. */
  readonly subtypes: readonly string[];
  /** Observations that are made up as they are read. */
  readonly volume: Volume | null;
}

/** Everything that a site holds, as one value. */
export type SiteState = { readonly [Name in TableName]: readonly Tables[Name][] } & Settings;

/** Settings of a new site. */
export const emptySettings: Settings = {
  switches: defaultSwitches,
  form: null,
  default_group: null,
  member_groups: [],
  subtypes: ['ranger', 'driver', 'vehicle'],
  volume: null,
};

/** Names of the settings. */
export const settingNames = Object.keys(emptySettings) as readonly (keyof Settings)[];

type PutRecord = { [Name in TableName]: { readonly put: Name; readonly record: Tables[Name] } }[TableName];
type SetValue = { [Name in keyof Settings]: { readonly set: Name; readonly value: Settings[Name] } }[keyof Settings];

/** One change of the state; what a state file is a list of. */
export type Change =
  | PutRecord
  | SetValue
  | { readonly remove: TableName; readonly id: string }
  | { readonly clear: TableName }
  | { readonly join: string; readonly subjects: readonly string[] }
  | { readonly leave: string; readonly subjects: readonly string[] };

/** The changes that make tables and settings be as given; those that are not given stay. */
export const changesOf = (state: Partial<SiteState>): Change[] => {
  const changes: unknown[] = [];
  for (const set of settingNames) if (state[set] !== undefined) changes.push({ set, value: state[set] });
  for (const put of tableNames) {
    if (state[put] === undefined) continue;
    changes.push({ clear: put });
    for (const record of state[put]) changes.push({ put, record });
  }
  return changes as Change[];
};

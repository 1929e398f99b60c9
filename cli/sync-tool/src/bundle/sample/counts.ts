/** The record counts of a sample bundle (bundle contract, 6). */
export interface SampleCounts {
  readonly languages: number;
  readonly transports: number;
  readonly mandates: number;
  readonly stations: number;
  /** Included in `stations`. */
  readonly unnamedStations: number;
  readonly teams: number;
  readonly attributes: number;
  /** Options of each LIST, and nodes of each TREE. */
  readonly options: number;
  readonly treeNodes: number;
  readonly employees: number;
  /** Included in `employees`. */
  readonly logins: number;
  readonly patrols: number;
  readonly membersPerLeg: number;
  /** Only of exported bundles. */
  readonly waypointsPerLeg: number;
}

/** Name of a set of counts. */
export type Preset = 'typical' | 'very-large' | 'stress';

/** Counts of typical areas, of the largest areas, and beyond any real area (bundle contract, 6). */
export const presets: Readonly<Record<Preset, SampleCounts>> = {
  typical: {
    languages: 2,
    transports: 8,
    mandates: 10,
    stations: 20,
    unnamedStations: 2,
    teams: 8,
    attributes: 6,
    options: 8,
    treeNodes: 14,
    employees: 150,
    logins: 10,
    patrols: 2_000,
    membersPerLeg: 5,
    waypointsPerLeg: 10,
  },
  'very-large': {
    languages: 4,
    transports: 30,
    mandates: 40,
    stations: 300,
    unnamedStations: 10,
    teams: 100,
    attributes: 30,
    options: 80,
    treeNodes: 186,
    employees: 2_000,
    logins: 100,
    patrols: 50_000,
    membersPerLeg: 5,
    waypointsPerLeg: 10,
  },
  stress: {
    languages: 10,
    transports: 200,
    mandates: 200,
    stations: 5_000,
    unnamedStations: 500,
    teams: 500,
    attributes: 100,
    options: 2_000,
    treeNodes: 2_000,
    employees: 20_000,
    logins: 1_000,
    patrols: 100_000,
    membersPerLeg: 5,
    waypointsPerLeg: 10,
  },
};

import { languagesLimit } from './random.ts';

const many = 10_000_000;

/** Names of sets of counts: of typical areas, of the largest ones, and beyond any real area (bundle contract, 6). */
export const presetNames = ['typical', 'very-large', 'stress'] as const;

/** Name of a set of counts. */
export type Preset = (typeof presetNames)[number];

type Count = readonly [what: string, least: number, most: number, ofPresets: readonly [number, number, number]];

/** The counts of a sample bundle: what each counts, its bounds, and its value in each preset. */
export const counted = {
  languages: ['languages', 1, languagesLimit, [2, 4, 10]],
  transports: ['transports', 0, many, [8, 30, 200]],
  mandates: ['mandates', 0, many, [10, 40, 200]],
  stations: ['stations', 0, many, [20, 300, 5_000]],
  // Included in the stations.
  unnamedStations: ['stations without a name', 0, many, [2, 10, 500]],
  teams: ['teams', 0, many, [8, 100, 500]],
  attributes: ['custom patrol attributes', 0, many, [6, 30, 100]],
  options: ['options of each list', 0, many, [8, 80, 2_000]],
  treeNodes: ['nodes of each tree', 0, many, [14, 186, 2_000]],
  employees: ['employees', 0, many, [150, 2_000, 20_000]],
  // Included in the employees.
  logins: ['employees that are logins', 0, many, [10, 100, 1_000]],
  patrols: ['patrols', 0, many, [2_000, 50_000, 100_000]],
  membersPerLeg: ['members of each leg', 0, 1_000, [5, 5, 5]],
  waypointsPerLeg: ['waypoints of each leg (exported format)', 0, 10_000, [10, 10, 10]],
} as const satisfies Readonly<Record<string, Count>>;

/** The record counts of a sample bundle. */
export type SampleCounts = Readonly<Record<keyof typeof counted, number>>;

/** The counts of a preset. */
export const countsIn = (preset: Preset): SampleCounts =>
  Object.fromEntries(
    Object.entries(counted).map(([name, [, , , values]]) => [name, values[presetNames.indexOf(preset)]]),
  ) as SampleCounts;

import type { Area, Bundle, Language, Manifest } from './model.ts';

/** Number of records of a kind, and how many of them patrols use. */
export interface Used {
  readonly all: number;
  readonly used: number;
}

/** An overview of a bundle for the operator before its use. */
export interface BundleSummary {
  readonly path: string;
  readonly exportedAt: string;
  readonly formatVersion: string;
  readonly area: Area;
  readonly timezone: Manifest['timezone'];
  readonly timeCoverage: Manifest['timeCoverage'];
  /** In the order of the manifest. */
  readonly languages: readonly Language[];
  readonly counts: {
    readonly transports: Used;
    readonly patrolClasses: number;
    readonly mandates: Used;
    readonly stations: Used & { readonly unnamed: number; readonly unnamedUsed: number };
    readonly teams: number;
    readonly attributes: number;
    readonly options: number;
    /** Used employees are members of a leg. `logins` is null when the bundle has no login flags. */
    readonly employees: Used & { readonly logins: number | null };
    readonly patrols: number;
  };
  /** Paths of the categories of the patrols' observations, and how many patrols have them; a bundle of the own format does not tell. */
  readonly categories: readonly { readonly path: string; readonly patrols: number }[];
  readonly warnings: readonly string[];
}

const loginsOf = ({ employees }: Bundle): number | null =>
  employees.some(({ hasExtLogin }) => hasExtLogin !== undefined)
    ? employees.filter(({ hasExtLogin }) => hasExtLogin === true).length
    : null;

/** Summarises the content of a bundle as data for printing. */
export const summariseBundle = (bundle: Bundle): BundleSummary => {
  const { manifest, stations, usage, attributes } = bundle;
  const { path, exportedAt, formatVersion, area, timezone, timeCoverage, languages } = manifest;
  const unnamed = stations.filter(({ names }) => names.size === 0);
  return {
    path,
    exportedAt,
    formatVersion,
    area,
    timezone,
    timeCoverage,
    languages,
    counts: {
      transports: { all: bundle.transports.length, used: usage.transports.size },
      patrolClasses: bundle.patrolClasses.length,
      mandates: { all: bundle.mandates.length, used: usage.mandates.size },
      stations: {
        all: stations.length,
        used: usage.stations.size,
        unnamed: unnamed.length,
        unnamedUsed: unnamed.filter(({ uuid }) => usage.stations.has(uuid)).length,
      },
      teams: bundle.teams.length,
      attributes: attributes.length,
      options: attributes.reduce((sum, { options }) => sum + options.length, 0),
      employees: { all: bundle.employees.length, used: usage.members.size, logins: loginsOf(bundle) },
      patrols: usage.patrols,
    },
    categories: bundle.requirements.all.flatMap(({ kind, key, patrols }) =>
      kind === 'event_type' ? [{ path: key, patrols }] : [],
    ),
    warnings: bundle.warnings.map(({ text }) => text),
  };
};

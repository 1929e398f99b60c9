import { summariseBundle, type Bundle } from '../bundle/index.ts';
import { coverageOf, totalsOf } from './coverage.ts';

/** A bundle's summary as data for programs. */
export const bundleJson = (bundle: Bundle): object => {
  const { path, exportedAt, formatVersion, area, timezone, counts, warnings } = summariseBundle(bundle);
  const { transports, patrolClasses, mandates, stations, teams, attributes, options, employees, patrols } = counts;
  const { unnamed, unnamedUsed, all, used } = stations;
  return {
    path,
    area,
    exported_at: exportedAt,
    format_version: formatVersion,
    timezone,
    counts: {
      transports,
      patrol_classes: patrolClasses,
      mandates,
      stations: { all, used, unnamed, unnamed_used: unnamedUsed },
      teams,
      attributes,
      options,
      employees,
      patrols,
    },
    languages: coverageOf(bundle).map(({ language, labelled }) => {
      const { code, name, isDefault, coverage } = language;
      return { code, name, is_default: isDefault, coverage, labelled };
    }),
    labelled_of: totalsOf(bundle),
    warnings,
  };
};

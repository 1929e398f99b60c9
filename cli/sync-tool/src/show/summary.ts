import { alignColumns, humanCount, type Paint, plural, printable } from '@ranger-relay/terminal';
import type { Bundle, Names } from '../bundle/model.ts';

/** Kinds of records with labels, as the table of labels calls them, in its order. */
const labelledKinds = {
  transports: 'transports',
  patrol_classes: 'classes',
  mandates: 'mandates',
  stations: 'stations',
  teams: 'teams',
  attributes: 'attributes',
  options: 'options',
} as const;

type LabelCounts = Readonly<Record<keyof typeof labelledKinds, number>>;

/** Counts the records of each kind for which a condition holds. */
const countLabelled = (bundle: Bundle, holds: (names: Names) => boolean): LabelCounts => {
  const count = (records: readonly { readonly names: Names }[]): number =>
    records.filter(({ names }) => holds(names)).length;
  return {
    transports: count(bundle.transports),
    // The exporter gives classes no labels.
    patrol_classes: bundle.manifest.format === 'exported' ? 0 : count(bundle.patrolClasses),
    mandates: count(bundle.mandates),
    stations: count(bundle.stations),
    teams: count(bundle.teams),
    attributes: count(bundle.attributes),
    options: count(bundle.attributes.flatMap(({ options }) => options)),
  };
};

const loginsOf = ({ employees }: Bundle): number | null =>
  employees.some(({ hasExtLogin }) => hasExtLogin !== undefined)
    ? employees.filter(({ hasExtLogin }) => hasExtLogin === true).length
    : null;

const countsOf = (bundle: Bundle) => {
  const { stations, usage, attributes } = bundle;
  const unnamed = stations.filter(({ names }) => names.size === 0);
  return {
    transports: { all: bundle.transports.length, used: usage.transports.size },
    patrol_classes: bundle.patrolClasses.length,
    mandates: { all: bundle.mandates.length, used: usage.mandates.size },
    stations: {
      all: stations.length,
      used: usage.stations.size,
      unnamed: unnamed.length,
      unnamed_used: unnamed.filter(({ uuid }) => usage.stations.has(uuid)).length,
    },
    teams: bundle.teams.length,
    attributes: attributes.length,
    options: attributes.reduce((sum, { options }) => sum + options.length, 0),
    /** Used employees are members of a leg. `logins` is null when the bundle has no login flags. */
    employees: { all: bundle.employees.length, used: usage.members.size, logins: loginsOf(bundle) },
    patrols: usage.patrols,
  };
};

/** What a bundle holds, what of it patrols use, and how much has a label in each language, as the JSON output has it. */
export const summaryOf = (bundle: Bundle) => {
  const { path, exportedAt, formatVersion, area, timezone, timeCoverage: times, languages } = bundle.manifest;
  return {
    path,
    area,
    exported_at: exportedAt,
    format_version: formatVersion,
    timezone,
    time_coverage: times && {
      leg_days: times.days,
      track: times.track,
      leg_day_times: times.entered,
      waypoints: times.waypoints,
      date_only: times.dateOnly,
    },
    counts: countsOf(bundle),
    /** Paths of the categories of the patrols' observations, and how many patrols have them; our own format does not tell. */
    categories: bundle.requirements.all.flatMap(({ kind, key, patrols }) =>
      kind === 'event_type' ? [{ path: key, patrols }] : [],
    ),
    languages: languages.map(({ code, name, isDefault, coverage }) => ({
      code,
      name,
      is_default: isDefault,
      coverage,
      labelled: countLabelled(bundle, (names) => names.has(code)),
    })),
    labelled_of: countLabelled(bundle, () => true),
    warnings: bundle.warnings.map(({ text }) => text),
  };
};

export type BundleSummary = ReturnType<typeof summaryOf>;

const row = (title: string, counted: number | { readonly all: number; readonly used: number }, more = '') =>
  typeof counted === 'number'
    ? [title, humanCount(counted), '', more]
    : [title, humanCount(counted.all), humanCount(counted.used), more];

const countRows = ({ counts, categories }: BundleSummary): readonly (readonly string[])[] => {
  const { stations, employees, attributes, options } = counts;
  const unnamed = `${humanCount(stations.unnamed)} without a name, ${humanCount(stations.unnamed_used)} of them used`;
  return [
    row('Transports', counts.transports),
    row('Patrol classes', counts.patrol_classes),
    row('Mandates', counts.mandates),
    row('Stations', stations, unnamed),
    row('Teams', counts.teams),
    row('Attributes', attributes, plural(options, 'option')),
    row(
      'Employees',
      employees,
      employees.logins === null ? 'logins are not flagged' : plural(employees.logins, 'login'),
    ),
    row('Patrols', counts.patrols),
    ...categories.map(({ path, patrols }) => [`Observations of ${printable(path)}`, '', humanCount(patrols), '']),
  ];
};

const timesText = (times: NonNullable<BundleSummary['time_coverage']>): string =>
  `${plural(times.leg_days, 'day')} of legs: ${humanCount(times.track)} by track, ${humanCount(times.leg_day_times)} entered, ` +
  `${humanCount(times.waypoints)} by waypoints, ${humanCount(times.date_only)} with the date alone`;

/** The table of label counts by language and kind; a cell is highlighted when labels are missing. */
const labelLines = ({ languages, labelled_of: totals }: BundleSummary, paint: Paint): readonly string[] => {
  const kinds = Object.keys(labelledKinds) as readonly (keyof typeof labelledKinds)[];
  const cell = (labelled: number, total: number): string =>
    labelled < total ? paint.yellow(`${labelled}/${total}`) : `${labelled}/${total}`;
  const rows = languages.map(({ code, name, is_default, coverage, labelled }) => [
    printable([...new Set([code, name])].join(' ')) + (is_default ? ' (default)' : ''),
    `${(coverage * 100).toFixed(1)} %`,
    ...kinds.map((kind) => cell(labelled[kind], totals[kind])),
  ]);
  const titles = ['Language', 'labelled', ...Object.values(labelledKinds)].map((title) => paint.bold(title));
  return alignColumns([titles, ...rows], ['left', 'right', ...kinds.map(() => 'right' as const)]);
};

/** The same as text. */
export const summaryLines = (summary: BundleSummary, paint: Paint): readonly string[] => {
  const { path, area, exported_at: exportedAt, format_version: version, timezone, time_coverage: times } = summary;
  return [
    ...alignColumns(
      [
        ['Bundle', path],
        ['Area', `${area.name} (${area.id}), ${area.uuid}`],
        ['Exported', `${exportedAt}, format ${version}`],
        ['Timezone', `${timezone.name} (${timezone.source})`],
        ...(times ? [['Times', timesText(times)]] : []),
      ].map(([title = '', text = '']) => [title, printable(text)]),
      ['left', 'left'],
    ),
    '',
    ...alignColumns(
      [['', 'records', 'used by patrols', ''].map((title) => paint.bold(title)), ...countRows(summary)],
      ['left', 'right', 'right', 'left'],
    ),
    '',
    ...labelLines(summary, paint),
  ];
};

import { alignColumns, humanCount, type Paint, plural, printable, type Shell } from '@ranger-relay/terminal';
import { type Bundle, type BundleSummary, readBundle, summariseBundle, type TimeCoverage } from '../bundle/index.ts';
import { coverageOf, labelledKinds, type LanguageCoverage, totalsOf } from './coverage.ts';

/** A bundle's summary as JSON data. */
export const bundleJson = (bundle: Bundle): object => {
  const summary = summariseBundle(bundle);
  const { path, exportedAt, formatVersion, area, timezone, timeCoverage, counts, categories, warnings } = summary;
  const { transports, patrolClasses, mandates, stations, teams, attributes, options, employees, patrols } = counts;
  const { unnamed, unnamedUsed, all, used } = stations;
  return {
    path,
    area,
    exported_at: exportedAt,
    format_version: formatVersion,
    timezone,
    time_coverage: timeCoverage && {
      leg_days: timeCoverage.days,
      track: timeCoverage.track,
      leg_day_times: timeCoverage.entered,
      waypoints: timeCoverage.waypoints,
      date_only: timeCoverage.dateOnly,
    },
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
    categories,
    languages: coverageOf(bundle).map(({ language, labelled }) => {
      const { code, name, isDefault, coverage } = language;
      return { code, name, is_default: isDefault, coverage, labelled };
    }),
    labelled_of: totalsOf(bundle),
    warnings,
  };
};

/** Reads a bundle and shows the progress on a terminal. @throws RelayError `bundle_invalid` */
export const readShown = async (shell: Shell, path: string): Promise<Bundle> => {
  const bundle = await readBundle(path, {
    onProgress({ file, bytes, totalBytes }) {
      if (shell.interactive) shell.progress(`Reading ${file}: ${Math.floor((bytes / (totalBytes || 1)) * 100)} %`);
    },
  });
  shell.progress('');
  return bundle;
};

const usedOf = ({ all, used }: BundleSummary['counts']['transports']): readonly [string, string] => [
  humanCount(all),
  humanCount(used),
];

const countRows = ({ counts, categories }: BundleSummary): readonly (readonly string[])[] => {
  const { stations, employees, attributes, options } = counts;
  const logins = employees.logins === null ? 'logins are not flagged' : plural(employees.logins, 'login');
  const unnamed = `${humanCount(stations.unnamed)} without a name, ${humanCount(stations.unnamedUsed)} of them used`;
  return [
    ['Transports', ...usedOf(counts.transports), ''],
    ['Patrol classes', humanCount(counts.patrolClasses), '', ''],
    ['Mandates', ...usedOf(counts.mandates), ''],
    ['Stations', ...usedOf(stations), unnamed],
    ['Teams', humanCount(counts.teams), '', ''],
    ['Attributes', humanCount(attributes), '', plural(options, 'option')],
    ['Employees', ...usedOf(employees), logins],
    ['Patrols', humanCount(counts.patrols), '', ''],
    ...categories.map(({ path, patrols }) => [`Observations of ${printable(path)}`, '', humanCount(patrols), '']),
  ];
};

const headings: Readonly<Record<(typeof labelledKinds)[number], string>> = {
  transports: 'transports',
  patrol_classes: 'classes',
  mandates: 'mandates',
  stations: 'stations',
  teams: 'teams',
  attributes: 'attributes',
  options: 'options',
};

/** Highlights a cell when labels are missing, because a kind has fewer labels than records. */
const cell = (labelled: number, total: number, paint: Paint): string => {
  const text = `${labelled}/${total}`;
  return labelled < total ? paint.yellow(text) : text;
};

const coverageRow = (
  { language, labelled }: LanguageCoverage,
  totals: LanguageCoverage['labelled'],
  paint: Paint,
): readonly string[] => [
  printable([...new Set([language.code, language.name])].join(' ')) + (language.isDefault ? ' (default)' : ''),
  `${(language.coverage * 100).toFixed(1)} %`,
  ...labelledKinds.map((kind) => cell(labelled[kind], totals[kind], paint)),
];

/** The table of label counts by language and kind. */
export const coverageLines = (
  coverage: readonly LanguageCoverage[],
  totals: LanguageCoverage['labelled'],
  paint: Paint,
): readonly string[] =>
  alignColumns(
    [
      ['Language', 'labelled', ...labelledKinds.map((kind) => headings[kind])].map((title) => paint.bold(title)),
      ...coverage.map((one) => coverageRow(one, totals, paint)),
    ],
    ['left', 'right', ...labelledKinds.map(() => 'right' as const)],
  );

const timesText = ({ days, track, entered, waypoints, dateOnly }: TimeCoverage): string =>
  `${plural(days, 'day')} of legs: ${humanCount(track)} by track, ${humanCount(entered)} entered, ` +
  `${humanCount(waypoints)} by waypoints, ${humanCount(dateOnly)} with the date alone`;

/** Formats the identity and the counts of a bundle. */
export const summaryLines = (summary: BundleSummary, paint: Paint): readonly string[] => {
  const { area, timezone, timeCoverage, formatVersion, exportedAt, path } = summary;
  return [
    ...alignColumns(
      [
        ['Bundle', path],
        ['Area', `${area.name} (${area.id}), ${area.uuid}`],
        ['Exported', `${exportedAt}, format ${formatVersion}`],
        ['Timezone', `${timezone.name} (${timezone.source})`],
        ...(timeCoverage ? [['Times', timesText(timeCoverage)]] : []),
      ].map(([title = '', text = '']) => [title, printable(text)]),
      ['left', 'left'],
    ),
    '',
    ...alignColumns(
      [['', 'records', 'used by patrols', ''].map((title) => paint.bold(title)), ...countRows(summary)],
      ['left', 'right', 'right', 'left'],
    ),
  ];
};

import type { Bundle, Language, Names } from '../bundle/index.ts';

/** Kinds of records with labels, in display order. */
export const labelledKinds = [
  'transports',
  'patrol_classes',
  'mandates',
  'stations',
  'teams',
  'attributes',
  'options',
] as const;

/** Number of records of each kind that have a label in a language. */
export interface LanguageCoverage {
  readonly language: Language;
  readonly labelled: Readonly<Record<(typeof labelledKinds)[number], number>>;
}

interface Labelled {
  readonly names: Names;
}

const labelledOf = (bundle: Bundle): Readonly<Record<(typeof labelledKinds)[number], readonly Labelled[]>> => ({
  transports: bundle.transports,
  // The exporter gives classes no labels.
  patrol_classes: bundle.manifest.format === 'exported' ? [] : bundle.patrolClasses,
  mandates: bundle.mandates,
  stations: bundle.stations,
  teams: bundle.teams,
  attributes: bundle.attributes,
  options: bundle.attributes.flatMap(({ options }) => options),
});

/** Counts labels by language and kind; languages are in the order of the manifest. */
export const coverageOf = (bundle: Bundle): readonly LanguageCoverage[] => {
  const records = labelledOf(bundle);
  return bundle.manifest.languages.map((language) => {
    const count = (kind: (typeof labelledKinds)[number]): number =>
      records[kind].filter(({ names }) => names.has(language.code)).length;
    return {
      language,
      labelled: Object.fromEntries(labelledKinds.map((kind) => [kind, count(kind)])) as LanguageCoverage['labelled'],
    };
  });
};

/** Number of records of each kind. */
export const totalsOf = (bundle: Bundle): LanguageCoverage['labelled'] =>
  Object.fromEntries(
    Object.entries(labelledOf(bundle)).map(([kind, records]) => [kind, records.length]),
  ) as LanguageCoverage['labelled'];

import type { BundleFormat } from '../model.ts';
import { countsIn, type Preset, type SampleCounts } from './counts.ts';
import { type EdgeCase, odditiesOf, type Oddity } from './edge-cases.ts';
import { localTimes, patrols } from './patrols.ts';
import { sampleLanguages, seededRandom, uuidAt } from './random.ts';
import {
  attributes,
  employees,
  mandates,
  patrolClasses,
  stations,
  teams,
  transports,
  type SampleContext,
} from './vocabulary.ts';
import {
  type BundleContents,
  type FileEntry,
  type ManifestHead,
  type SampleRecord,
  writeBundle,
} from './write-bundle.ts';
import { writeExportedBundle } from './write-exported.ts';

/** The options of a sample bundle. The same options produce the same bytes, and in both formats the same content. */
export interface SampleOptions {
  /** Defaults to `own`. */
  readonly format?: BundleFormat;
  /** Defaults to 1. */
  readonly seed?: number;
  /** The base counts; defaults to `typical`. */
  readonly preset?: Preset;
  readonly counts?: Partial<SampleCounts>;
  readonly edgeCases?: readonly EdgeCase[];
  /** Format 1.0 has no login flags. */
  readonly formatVersion?: '1.0' | '1.1';
  /** Defaults to `Asia/Manila`. */
  readonly timezone?: string;
  /** Code of the area, defaults to `051600`. Different codes are different areas. */
  readonly areaId?: string;
}

const exportedAt = Date.UTC(2026, 0, 31, 6, 3, 11);

const kindsOf = (context: SampleContext, hasFlags: boolean, areaId: string, zone: string) =>
  new Map<string, Iterable<SampleRecord>>([
    ['transports', transports(context)],
    ['patrol_classes', patrolClasses(context)],
    ['mandates', mandates(context)],
    ['stations', stations(context)],
    ['patrol_attributes', attributes(context)],
    ['employees', employees(context, hasFlags)],
    ['teams', teams(context)],
    ['patrols', patrols(context, areaId, zone)],
  ]);

function* changed(kind: string, records: Iterable<SampleRecord>, oddities: readonly Oddity[], context: SampleContext) {
  const change = (record: SampleRecord, position: number): SampleRecord =>
    oddities.reduce((odd, oddity) => oddity.change?.(kind, odd, position, context) ?? odd, record);
  let position = 0;
  for (const record of records) yield change(record, position++);
  // Added records follow the records that are changed by position; only changes to all records affect them.
  for (const { extra } of oddities)
    for (const record of extra?.[kind]?.(context) ?? []) yield change(record, 3 * position++ + 4);
}

const headOf = (seed: number, areaId: string, zone: string, formatVersion: string): ManifestHead => ({
  format: 'ext-migration-bundle',
  format_version: formatVersion,
  generator: { name: 'ext-export', version: '0.4.0', ext_schema: '7' },
  exported_at: localTimes(zone)(exportedAt),
  conservation_area: { uuid: uuidAt(seed, `area ${areaId}`, 0), id: areaId, name: 'Sample Area' },
  timezone: zone,
  timezone_source: 'configured',
});

/** The content of a valid, realistic bundle. Its records are generated as they are read, once and in the order of the kinds. */
export const sampleContents = (options: SampleOptions): BundleContents => {
  const { seed = 1, preset = 'typical', formatVersion = '1.1', timezone = 'Asia/Manila', areaId = '051600' } = options;
  const counts = { ...countsIn(preset), ...options.counts };
  const context: SampleContext = { seed, random: seededRandom(seed), counts };
  const oddities = odditiesOf(options.edgeCases ?? []);
  const kinds = kindsOf(context, formatVersion === '1.1', areaId, timezone);
  for (const { extra } of oddities)
    for (const kind of Object.keys(extra ?? {})) if (!kinds.has(kind)) kinds.set(kind, []);
  return {
    waypointsPerLeg: counts.waypointsPerLeg,
    head: oddities.reduce(
      (head, { head: change }) => change?.(head) ?? head,
      headOf(seed, areaId, timezone, formatVersion),
    ),
    languages: sampleLanguages(counts.languages),
    kinds: new Map([...kinds].map(([kind, records]) => [kind, changed(kind, records, oddities, context)])),
    style: Object.assign({}, ...oddities.map(({ style }) => style ?? {})),
    lineOf: (kind, record, position) =>
      oddities.reduce((line, oddity) => oddity.line?.(kind, line, position) ?? line, JSON.stringify(record)),
  };
};

/** Writes a content in one of the formats. */
export const writeContents = (
  folder: string,
  contents: BundleContents,
  format: BundleFormat = 'own',
): Promise<readonly FileEntry[]> =>
  format === 'own' ? writeBundle(folder, contents) : writeExportedBundle(folder, contents);

/**
 * Writes a valid, realistic bundle into a folder and creates the folder if needed. Patrols are written one at a time, so that their number
 * does not affect memory use (bundle contract, 2 and 6).
 */
export const writeSampleBundle = (folder: string, options: SampleOptions = {}): Promise<readonly FileEntry[]> =>
  writeContents(folder, sampleContents(options), options.format);

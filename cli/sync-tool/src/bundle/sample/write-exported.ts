import * as disk from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../run/files.ts';
import { dashedId } from '@ranger-relay/site';
import { CoverageCount } from './coverage.ts';
import { ExportedRecords } from './exported-records.ts';
import { type BundleContents, type FileEntry, type SampleRecord, writeRecordFile } from './write-bundle.ts';

type List = readonly [name: string, objects: Iterable<SampleRecord>];

/** The lines of a document of lists, one object at a time. */
function* documentLines(lists: Iterable<List>, onObject: () => void): Generator<string> {
  let before = '{';
  for (const [name, objects] of lists) {
    yield `${before}"${name}": [`;
    let separator = '';
    for (const object of objects) {
      yield separator + JSON.stringify(object, null, 1);
      separator = ',';
      onObject();
    }
    before = '],';
  }
  yield ']}';
}

function* converted(
  records: Iterable<SampleRecord>,
  convert: (record: SampleRecord) => SampleRecord,
): Generator<SampleRecord> {
  for (const record of records) yield convert(record);
}

/** The lists of `reference.json`, in the order in which samples generate their records. */
function* referenceLists({ kinds }: BundleContents, objects: ExportedRecords, count: CoverageCount): Generator<List> {
  const list = (kind: string, convert: (record: SampleRecord) => SampleRecord, name = kind): List => [
    name,
    converted(kinds.get(kind) ?? [], (record) => {
      // Classes have no labels in this format.
      if (kind !== 'patrol_classes') count.take(kind, record);
      return convert(record);
    }),
  ];
  yield list('transports', objects.transport);
  yield list('patrol_classes', objects.patrolType, 'patrol_types');
  yield list('mandates', objects.mandate);
  yield list('stations', objects.station);
  yield list('patrol_attributes', objects.attribute);
  yield list('employees', objects.employee);
  yield list('teams', objects.team);
  yield ['agencies', objects.agencies()];
  yield ['ranks', objects.ranks()];
}

const manifestOf = (
  { head, languages }: BundleContents,
  { counts }: ExportedRecords,
  coverage: CoverageCount,
): object => {
  const area = head['conservation_area'] as Readonly<Record<'uuid' | 'id' | 'name', string>>;
  return {
    bundle_schema_version: 1,
    generated_at: head['exported_at'],
    generator: { name: 'exporter', version: 'v0.2.0' },
    source: { kind: 'backup', file: null, ext_version: '7.5.7' },
    conservation_area: {
      ...area,
      uuid: dashedId(area.uuid),
      designation: '',
      country: null,
      organization: null,
      owner: null,
    },
    timezone: { name: head['timezone'], source: head['timezone_source'] },
    default_language: languages.find(({ is_default }) => is_default)?.code,
    languages: coverage.languages(languages).map(({ code, is_default, labelled, total }) => ({
      code,
      default: is_default,
      labels: labelled,
      missing: Number(total) - Number(labelled),
    })),
    counts,
    time_coverage: {
      leg_days: counts.leg_days,
      track: 0,
      leg_day_times: counts.leg_days,
      waypoints: 0,
      date_only: 0,
    },
    warnings: [],
  };
};

/**
 * Writes the same content as `writeBundle` in the format of the external system's exporter. Patrols with their waypoints are written one at a
 * time, so that their number does not affect memory use.
 */
export const writeExportedBundle = async (folder: string, contents: BundleContents): Promise<readonly FileEntry[]> => {
  const { head, languages, kinds, waypointsPerLeg = 0 } = contents;
  const objects = new ExportedRecords({
    defaultLanguage: languages.find(({ is_default }) => is_default)?.code ?? '',
    exportedOn: String(head['exported_at']).slice(0, 10),
    waypointsPerLeg,
  });
  const coverage = new CoverageCount();
  await makeFolder(disk, join(folder, 'attachments'));
  const write = async (kind: string, lists: Iterable<List>): Promise<FileEntry> => {
    const path = `${kind}.json`;
    let count = 0;
    const lines = documentLines(lists, () => (count += 1));
    return { path, kind, ...(await writeRecordFile(join(folder, path), lines, {})), records: count };
  };
  const files = [
    await write('reference', referenceLists(contents, objects, coverage)),
    await write('patrols', [['patrols', converted(kinds.get('patrols') ?? [], objects.patrol)]]),
    await write('tracks', [['tracks', []]]),
  ];
  await disk.writeFile(
    join(folder, 'manifest.json'),
    `${JSON.stringify(manifestOf(contents, objects, coverage), null, 2)}\n`,
  );
  return files;
};

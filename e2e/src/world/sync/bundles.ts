import { createHash } from 'node:crypto';
import type { Random } from '@ranger-relay/runtime';
import { seededRandom } from '@ranger-relay/runtime/testing';
import type { WorldDisk } from './disk.ts';

/** Names of the areas. */
export const areaNames = ['a', 'b'] as const;
export type AreaName = (typeof areaNames)[number];

/** Uuids of the areas, as records and subjects name them. */
export const areaIds: Readonly<Record<AreaName, string>> = { a: 'aa'.repeat(16), b: 'bb'.repeat(16) };

/** Folder of an area's bundle. */
export const bundleFolder = (area: AreaName): string => `/areas/${area}/export`;

type Line = Readonly<Record<string, unknown>>;

/** A uuid from a kind and a number. */
const uuid = (kind: string, number: number): string => `${kind}${number.toString(16).padStart(2, '0')}`.repeat(8);

const named = (label: string, is_active = true) => ({ names: { en: label }, is_active });

const employee = (number: number, name: string): Line => ({
  uuid: uuid('e0', number),
  id: `staff-${number}`,
  given_name: 'Ranger',
  family_name: name,
  employment: { start: '2019-03-01', end: null },
  agency: null,
  rank: null,
  has_ext_login: false,
});

const transport = (number: number, label: string, is_active: boolean): Line => ({
  uuid: uuid('70', number),
  key: `transport${number}`,
  class_key: 'ground',
  requires_pilot: false,
  icon_key: null,
  ...named(label, is_active),
});

const station = (number: number, label: string, is_active: boolean): Line => ({
  uuid: uuid('50', number),
  ...named(label, is_active),
});

const option = (first: number, order: number, label: string, is_active: boolean): Line => ({
  uuid: uuid('b0', first + order),
  key: `option${order}`,
  order,
  ...named(label, is_active),
});

/** What both areas have, always the same: of two areas that differ the last run wins, so that no state would satisfy both. */
const shared = { transport: transport(0, 'Foot', true), station: station(0, 'Post', true), ranger: 0 };

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Draws the records of an area. Each version of its export changes labels, flags and people. */
const recordsOf = (random: Random, area: AreaName, version: number): Readonly<Record<string, readonly Line[]>> => {
  const first = area === 'a' ? 1 : 40;
  const below = (end: number): number => Math.floor(random.next() * end);
  const sizes = { transports: below(3), stations: 1 + below(3), options: 1 + below(3), employees: 3 + below(4) };
  const change = seededRandom(version * 1_000 + first);
  /** In later versions some labels have changed. */
  const label = (text: string): string => (version > 1 && change.next() < 0.4 ? `${text} ${version}` : text);
  const isActive = (): boolean => version === 1 || change.next() < 0.7;
  const people = range(sizes.employees).filter(() => version === 1 || change.next() < 0.8);
  return {
    transports: [
      shared.transport,
      ...range(sizes.transports).map((n) => transport(first + n, label(`Boat ${first + n}`), isActive())),
    ],
    patrol_classes: [{ key: 'ground', ...named('Ground') }],
    mandates: [{ uuid: uuid('d0', 0), key: 'routine', ...named('Routine') }],
    stations: [
      shared.station,
      ...range(sizes.stations).map((n) => station(first + n, label(`Post ${first + n}`), isActive())),
    ],
    patrol_attributes: [
      {
        uuid: uuid('a0', first),
        key: `weather_${area}`,
        type: 'LIST',
        ...named(label('Weather')),
        options: range(sizes.options).map((n) => option(first, n, label(`Option ${n}`), isActive())),
      },
      ...(version > 1
        ? [{ uuid: uuid('a1', first), key: `crew_${area}`, type: 'TEXT', options: [], ...named('Crew') }]
        : []),
    ],
    employees: [employee(shared.ranger, 'Shared'), ...people.map((n) => employee(first + n, label(`R${first + n}`)))],
    teams: [],
    patrols: [],
  };
};

type Records = ReturnType<typeof recordsOf>;

interface Head {
  readonly exportedAt: string;
  readonly area: { readonly uuid: string; readonly id: string; readonly name: string };
}

/** The files of a bundle in our own format. */
const ownFiles = (records: Records, { exportedAt, area }: Head): Map<string, string> => {
  const texts = Object.entries(records).map(
    ([kind, lines]) => [kind, lines.map((line) => `${JSON.stringify(line)}\n`).join('')] as const,
  );
  const manifest = {
    format: 'ext-migration-bundle',
    format_version: '1.1',
    exported_at: exportedAt,
    conservation_area: area,
    timezone: 'UTC',
    timezone_source: 'configured',
    languages: [{ code: 'en', name: 'English', is_default: true, labelled: 1, total: 1, coverage: 1 }],
    files: texts.map(([kind, text]) => ({
      path: `${kind}.jsonl`,
      kind,
      records: records[kind]?.length,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    })),
  };
  const files = texts.map(([kind, text]) => [`${kind}.jsonl`, text] as const);
  return new Map([...files, ['manifest.json', JSON.stringify(manifest)]]);
};

const dashed = (bare: string): string => bare.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** A record of ours as an object of an exported bundle. */
const objectOf = ({ uuid: bare, names, is_active: active, options, ...members }: Line): Line => ({
  ...members,
  uuid: dashed(String(bare)),
  ...(names === undefined ? {} : { labels: names, label: (names as { en: string }).en }),
  active,
  ...(Array.isArray(options) ? { options: options.map((each) => objectOf(each as Line)) } : {}),
});

/** The files of the same content as the exporter writes it. */
const exportedFiles = (records: Records, { exportedAt, area }: Head): Map<string, string> => {
  const { transports = [], mandates = [], stations = [], patrol_attributes: attributes = [], employees = [] } = records;
  const reference = {
    patrol_types: [{ key: 'GROUND', active: true }],
    transports: transports.map((each) => Object.assign(objectOf(each), { patrol_type: 'GROUND' })),
    mandates: mandates.map(objectOf),
    stations: stations.map(objectOf),
    patrol_attributes: attributes.map(objectOf),
    employees: employees.map((each) =>
      Object.assign(objectOf(each), { active: true, agency_uuid: null, rank_uuid: null }),
    ),
    agencies: [],
    ranks: [],
    teams: [],
  };
  const manifest = {
    bundle_schema_version: 1,
    generated_at: exportedAt,
    conservation_area: { ...area, uuid: dashed(area.uuid) },
    timezone: { name: 'UTC', source: 'configured' },
    default_language: 'en',
    languages: [{ code: 'en', default: true, labels: 1, missing: 0 }],
    counts: { patrols: 0, legs: 0, employees: employees.length },
    warnings: [],
  };
  const documents = { manifest, reference, patrols: { patrols: [] }, tracks: { tracks: [] } };
  return new Map(Object.entries(documents).map(([name, document]) => [`${name}.json`, JSON.stringify(document)]));
};

/** Writes a version of an area's export to the disk, drawn from the seed of the world, in one of the two formats. */
export const writeExport = (disk: WorldDisk, seed: number, area: AreaName, version: number): void => {
  const records = recordsOf(seededRandom(seed + area.charCodeAt(0)), area, version);
  const head = {
    exportedAt: `2025-0${version}-0${area === 'a' ? 1 : 2}T00:00:00+00:00`,
    area: { uuid: areaIds[area], id: area === 'a' ? '051' : '052', name: `Area ${area}` },
  };
  const isExported = seededRandom(seed * 7 + version * 2 + area.charCodeAt(0)).next() < 0.5;
  const files = isExported ? exportedFiles(records, head) : ownFiles(records, head);
  for (const [name, text] of files) disk.put(`${bundleFolder(area)}/${name}`, text);
};

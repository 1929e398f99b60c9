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

/** Writes a version of an area's export to the disk, drawn from the seed of the world. */
export const writeExport = (disk: WorldDisk, seed: number, area: AreaName, version: number): void => {
  const records = recordsOf(seededRandom(seed + area.charCodeAt(0)), area, version);
  const folder = bundleFolder(area);
  const files = Object.entries(records).map(([kind, lines]) => {
    const path = `${kind}.jsonl`;
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    disk.put(`${folder}/${path}`, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { path, kind, records: lines.length, bytes: Buffer.byteLength(text), sha256 };
  });
  const manifest = {
    format: 'ext-migration-bundle',
    format_version: '1.1',
    exported_at: `2025-0${version}-0${area === 'a' ? 1 : 2}T00:00:00+00:00`,
    conservation_area: { uuid: areaIds[area], id: area === 'a' ? '051' : '052', name: `Area ${area}` },
    timezone: 'UTC',
    timezone_source: 'configured',
    languages: [{ code: 'en', name: 'English', is_default: true, labelled: 1, total: 1, coverage: 1 }],
    files,
  };
  disk.put(`${folder}/manifest.json`, JSON.stringify(manifest));
};

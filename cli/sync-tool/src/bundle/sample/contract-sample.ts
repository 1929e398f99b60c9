import type { BundleFormat } from '../model.ts';
import { writeContents } from './sample-bundle.ts';
import type { FileEntry, SampleRecord } from './write-bundle.ts';

const id = (pair: string): string => pair.repeat(16);

const named = (label: string) => ({ is_active: true, names: { en: label } });

const person = (pair: string, staffId: string, givenName: string, familyName: string): SampleRecord => ({
  uuid: id(pair),
  id: staffId,
  given_name: givenName,
  family_name: familyName,
  employment: { start: '2019-03-01', end: null },
  agency: null,
  rank: null,
  has_ext_login: false,
});

const employees: readonly SampleRecord[] = [
  person('f1', '007', 'Ranger', 'One'),
  { ...person('f2', '100', 'Site', 'Admin'), has_ext_login: true },
  { ...person('f3', '101', 'Ranger', 'Three'), has_ext_login: true },
  { ...person('f4', '102', 'Ranger', 'Four'), employment: { start: '2019-03-01', end: '2023-12-31' } },
];

const attributes: readonly SampleRecord[] = [
  {
    uuid: id('e1'),
    key: 'weather',
    type: 'LIST',
    ...named('Weather'),
    options: [
      { uuid: id('e2'), key: 'dry', order: 1, ...named('Dry') },
      { uuid: id('e3'), key: 'rain', order: 2, ...named('Rain') },
    ],
  },
  { uuid: id('e4'), key: 'crew', type: 'NUMERIC', ...named('Crew') },
];

const member = (pair: string, isLeader: boolean) => ({
  employee_uuid: id(pair),
  is_leader: isLeader,
  is_pilot: false,
});

const patrol: SampleRecord = {
  uuid: id('a1'),
  id: '051_000001',
  class_key: 'ground',
  station_uuid: id('c3'),
  team_uuid: null,
  is_armed: false,
  objective: null,
  comment: null,
  start_date: '2024-03-02',
  end_date: '2024-03-02',
  attributes: { weather: 'dry' },
  legs: [
    {
      uuid: id('a2'),
      id: '1',
      transport_uuid: id('b1'),
      mandate_uuid: id('d1'),
      starts_at: '2024-03-02T06:10:00+00:00',
      ends_at: '2024-03-02T11:40:00+00:00',
      members: [member('f1', true), member('f3', false), member('f4', false)],
    },
  ],
};

const transport = (pair: string, key: string, label: string): SampleRecord => ({
  uuid: id(pair),
  key,
  class_key: 'ground',
  requires_pilot: false,
  icon_key: null,
  ...named(label),
});

/** Converts records to format 1.0, which has no login flag. */
const withoutFlag = (employee: SampleRecord): SampleRecord => ({ ...employee, has_ext_login: undefined });

/** Writes the sample bundle of the contract (section 8) into a folder; in format 1.0 it has no login flags. */
export const writeContractSample = (
  folder: string,
  { formatVersion = '1.1', format }: { readonly formatVersion?: '1.0' | '1.1'; readonly format?: BundleFormat } = {},
): Promise<readonly FileEntry[]> =>
  writeContents(
    folder,
    {
      head: {
        format: 'ext-migration-bundle',
        format_version: formatVersion,
        exported_at: '2026-01-31T00:00:00+00:00',
        conservation_area: { uuid: id('aa'), id: '051', name: 'Sample Area' },
        timezone: 'UTC',
        timezone_source: 'configured',
      },
      languages: [{ code: 'en', name: 'English', is_default: true }],
      kinds: new Map<string, readonly SampleRecord[]>([
        ['transports', [transport('b1', 'foot', 'Foot'), { ...transport('b2', 'boat', 'Boat'), is_active: false }]],
        ['patrol_classes', [{ key: 'ground', ...named('Ground') }]],
        ['mandates', [{ uuid: id('d1'), key: 'routine', ...named('Routine') }]],
        [
          'stations',
          [
            { uuid: id('c1'), ...named('Post One') },
            { uuid: id('c2'), is_active: true, names: {} },
            { uuid: id('c3'), is_active: true, names: {} },
          ],
        ],
        ['patrol_attributes', attributes],
        ['employees', formatVersion === '1.0' ? employees.map(withoutFlag) : employees],
        ['teams', [{ uuid: id('ab'), key: 'alpha', mandate_uuid: null, ...named('Team Alpha') }]],
        ['patrols', [patrol]],
      ]),
    },
    format,
  );

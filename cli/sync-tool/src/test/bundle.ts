import { type SampleRecord, writeBundle } from '../bundle/sample/write-bundle.ts';

/** A uuid from two hex digits. */
export const id = (pair: string): string => pair.repeat(16);

/** The same as it stands in `additional`, with dashes. */
export const dashed = (pair: string): string => [8, 4, 4, 4, 12].map((digits) => pair.repeat(digits / 2)).join('-');

/** A vocabulary record's common members. */
export const named = (label: string | null, isActive = true) => ({
  is_active: isActive,
  names: label === null ? {} : { en: label },
});

/** An employee, employed since 2019 unless said otherwise. */
export const employee = (pair: string, more: SampleRecord = {}): SampleRecord => ({
  uuid: id(pair),
  id: `staff-${pair}`,
  given_name: 'Ranger',
  family_name: pair,
  employment: { start: '2019-03-01', end: null },
  agency: null,
  rank: null,
  has_ext_login: false,
  ...more,
});

/** A patrol of one leg. */
export const patrol = (members: readonly string[], more: SampleRecord = {}): SampleRecord => ({
  uuid: id('a1'),
  id: '1',
  class_key: 'ground',
  station_uuid: null,
  team_uuid: null,
  is_armed: false,
  objective: null,
  comment: null,
  start_date: '2024-03-02',
  end_date: '2024-03-02',
  attributes: {},
  legs: [
    {
      uuid: id('a2'),
      id: '1',
      transport_uuid: id('b1'),
      mandate_uuid: id('d1'),
      starts_at: null,
      ends_at: null,
      members: members.map((pair) => ({ employee_uuid: id(pair), is_leader: false, is_pilot: false })),
    },
  ],
  ...more,
});

/** A transport. */
export const transport = (pair: string, key: string, isActive = true): SampleRecord => ({
  uuid: id(pair),
  key,
  class_key: 'ground',
  requires_pilot: false,
  icon_key: null,
  ...named(key, isActive),
});

/** Records by kind; kinds that are left out hold the little that a bundle needs. */
export interface TestBundle {
  readonly transports?: readonly SampleRecord[];
  readonly patrol_classes?: readonly SampleRecord[];
  readonly mandates?: readonly SampleRecord[];
  readonly stations?: readonly SampleRecord[];
  readonly patrol_attributes?: readonly SampleRecord[];
  readonly employees?: readonly SampleRecord[];
  readonly teams?: readonly SampleRecord[];
  readonly patrols?: readonly SampleRecord[];
  readonly area?: { readonly uuid: string; readonly id: string; readonly name: string };
  readonly exportedAt?: string;
  readonly timezone?: string;
  readonly timezoneSource?: 'configured' | 'inferred';
  readonly languages?: readonly { readonly code: string; readonly name: string; readonly is_default: boolean }[];
}

/** Writes a bundle of few records. */
export const writeTestBundle = (folder: string, bundle: TestBundle = {}): Promise<unknown> => {
  const { area, exportedAt, timezone = 'UTC', timezoneSource = 'configured', languages } = bundle;
  return writeBundle(folder, {
    head: {
      format: 'ext-migration-bundle',
      format_version: '1.1',
      exported_at: exportedAt ?? '2026-01-31T00:00:00+00:00',
      conservation_area: area ?? { uuid: id('aa'), id: '051', name: 'Test Area' },
      timezone,
      timezone_source: timezoneSource,
    },
    languages: languages ?? [{ code: 'en', name: 'English', is_default: true }],
    kinds: new Map<string, readonly SampleRecord[]>([
      ['transports', bundle.transports ?? [transport('b1', 'foot')]],
      ['patrol_classes', bundle.patrol_classes ?? [{ key: 'ground', ...named('Ground') }]],
      ['mandates', bundle.mandates ?? [{ uuid: id('d1'), key: 'routine', ...named('Routine') }]],
      ['stations', bundle.stations ?? []],
      ['patrol_attributes', bundle.patrol_attributes ?? []],
      ['employees', bundle.employees ?? [employee('f1')]],
      ['teams', bundle.teams ?? []],
      ['patrols', bundle.patrols ?? []],
    ]),
  });
};

import type { SampleRecord } from './json.ts';
import { ofSome, type Oddity } from './oddity.ts';
import { uuidAt } from './random.ts';

const dashed = (uuid: string): string =>
  uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase();

/** Every uuid of a value in its other spelling. */
const respelled = (value: unknown): unknown => {
  if (typeof value === 'string') return /^[0-9a-f]{32}$/.test(value) ? dashed(value) : value;
  if (Array.isArray(value)) return value.map(respelled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, respelled(member)]));
};

const changeLegs = (record: SampleRecord, change: (leg: SampleRecord) => SampleRecord): SampleRecord => ({
  ...record,
  legs: (record['legs'] as SampleRecord[]).map(change),
});

/** Oddities of employees, patrols and of all records (bundle contract, 5). */
export const recordOddities = {
  'dashed-uuids': { change: (_, record) => respelled(record) as SampleRecord },
  'unknown-members': { change: (_, record) => ({ ...record, added_later: { deep: [1, { a: null }] } }) },
  'duplicate-members': {
    line: (kind: string, line: string, position) =>
      kind === 'stations' && position === 0 ? line.replace('{', '{"is_active":"replaced by the second",') : line,
  },
  'repeated-staff-ids': ofSome(['employees'], (record) => ({ ...record, id: '001' })),
  'end-before-start': {
    change: (kind, record, position) => {
      if (position > 2) return record;
      if (kind === 'employees') return { ...record, employment: { start: '2024-01-01', end: '2023-01-01' } };
      return kind === 'patrols' ? { ...record, end_date: '2001-01-01' } : record;
    },
  },
  'unknown-references': ofSome(['patrols'], (record, position) => ({
    ...changeLegs(record, (leg) => ({
      ...leg,
      transport_uuid: uuidAt(0, 'gone', position),
      mandate_uuid: uuidAt(1, 'gone', position),
      members: [{ employee_uuid: uuidAt(2, 'gone', position), is_leader: true, is_pilot: true }],
    })),
    station_uuid: uuidAt(3, 'gone', position),
    class_key: 'submarine',
  })),
  'impossible-offsets': ofSome(['patrols'], (record) =>
    changeLegs(record, (leg) => ({ ...leg, starts_at: '2024-03-02T06:10:00-03:30', ends_at: null })),
  ),
  'same-uuid-in-two-kinds': {
    extra: {
      stations: () => [{ uuid: uuidAt(4, 'shared', 0), is_active: true, names: { en: 'Shared' } }],
      employees: () => [
        {
          uuid: uuidAt(4, 'shared', 0),
          id: 'S-1',
          given_name: 'Shared',
          family_name: '',
          employment: { start: '2019-03-01' },
        },
      ],
    },
  },
} as const satisfies Readonly<Record<string, Oddity>>;

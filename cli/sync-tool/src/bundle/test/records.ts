import type { SampleRecord } from '../sample/write-bundle.ts';

/** A uuid made of one pair of digits. */
export const id = (pair: string): string => pair.repeat(16);

const labelled = { is_active: true, names: { en: 'Label' } };

/** One valid record of each kind; a test changes what it is about. */
export const valid = {
  transports: { uuid: id('b1'), key: 'foot', class_key: 'ground', requires_pilot: false, icon_key: null, ...labelled },
  patrol_classes: { key: 'ground', ...labelled },
  mandates: { uuid: id('d1'), key: 'routine', ...labelled },
  stations: { uuid: id('c1'), ...labelled },
  patrol_attributes: { uuid: id('e1'), key: 'crew', type: 'NUMERIC', ...labelled },
  employees: {
    uuid: id('f1'),
    id: '007',
    given_name: 'Ranger',
    family_name: 'One',
    employment: { start: '2019-03-01', end: null },
    agency: null,
    rank: null,
    has_ext_login: false,
  },
  teams: { uuid: id('ab'), key: 'alpha', mandate_uuid: null, ...labelled },
  patrols: {
    uuid: id('a1'),
    id: '1',
    class_key: 'ground',
    station_uuid: id('c1'),
    team_uuid: null,
    is_armed: false,
    objective: null,
    comment: null,
    start_date: '2024-03-02',
    end_date: '2024-03-02',
    attributes: {},
    legs: [],
  },
} as const satisfies Readonly<Record<string, SampleRecord>>;

/** A kind of which there is a valid record. */
export type ValidKind = keyof typeof valid;

/** A valid record in which some members are different. */
export const record = <K extends ValidKind, P extends SampleRecord>(kind: K, parts: P) => ({
  ...valid[kind],
  ...parts,
});

/** A valid leg of a patrol. */
export const leg = (parts: SampleRecord = {}): SampleRecord => ({
  uuid: id('a2'),
  id: '1',
  transport_uuid: id('b1'),
  mandate_uuid: id('d1'),
  starts_at: '2024-03-02T06:10:00+08:00',
  ends_at: null,
  members: [{ employee_uuid: id('f1'), is_leader: true, is_pilot: false }],
  ...parts,
});

/** A valid option of a LIST, or node of a TREE. */
export const option = (pair: string, key: string | null, parts: SampleRecord = {}): SampleRecord => ({
  uuid: id(pair),
  key,
  order: 0,
  ...labelled,
  ...parts,
});

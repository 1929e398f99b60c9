import { uuidAt } from './random.ts';
import type { SampleContext } from './vocabulary.ts';
import type { FileStyle, ManifestHead, SampleRecord } from './write-bundle.ts';

/** An unusual but valid feature of a bundle. Each part is optional. */
export interface Oddity {
  readonly style?: FileStyle;
  /** Changes the head of the manifest. */
  readonly head?: (head: ManifestHead) => ManifestHead;
  /** Changes a record of a kind. */
  readonly change?: (kind: string, record: SampleRecord, position: number, context: SampleContext) => SampleRecord;
  /** Adds records to a kind, including a kind that samples otherwise lack. */
  readonly extra?: Readonly<Record<string, (context: SampleContext) => readonly SampleRecord[]>>;
  /** Changes the line of a record. */
  readonly line?: (kind: string, line: string, position: number) => string;
}

/** Applies an unusual feature to every third record of some kinds. */
const ofSome = (
  kinds: readonly string[],
  change: (record: SampleRecord, position: number) => SampleRecord,
): Oddity => ({
  change: (kind, record, position) => (kinds.includes(kind) && position % 3 === 0 ? change(record, position) : record),
});

const labelled = ['transports', 'mandates', 'stations', 'teams', 'patrol_attributes'];

const reserved = '"__proto__":"Proto","constructor":"Made"';

const withNames = (namesOf: (position: number) => Readonly<Record<string, unknown>>): Oddity =>
  ofSome(labelled, (record: SampleRecord, position) => ({ ...record, names: namesOf(position) }));

/** Unusual labels (bundle contract, 3 and 5). */
const labelOddities = {
  'unlisted-language': withNames((position) => ({ 'x-old': `Old name ${position}` })),
  'blank-labels': withNames(() => ({ en: '   ', fr: null })),
  'long-labels': withNames((position) => ({ en: `${position} ${'a long name '.repeat(120)}` })),
  'emoji-labels': withNames((position) => ({ en: `${'👩🏽‍🚒'.repeat(40)} ${position}` })),
  'combining-labels': withNames((position) => ({ en: `${'e\u0301\u0323'.repeat(60)} ${position}` })),
  'right-to-left-labels': withNames((position) => ({ en: `مركز \u202E${position}` })),
  'markup-labels': withNames((position) => ({ en: `<script>|\`${position}\`|</script> [a](b) *c*` })),
  'control-characters': withNames((position) => ({ en: `One\r\n\u0007two ${position}\t` })),
  'same-labels': withNames(() => ({ en: 'New Station' })),
  'prototype-codes': {
    // Written as text, because a literal with this name would set the prototype.
    line: (kind: string, line: string) =>
      labelled.includes(kind)
        ? line.replace(/"names":\{(?=(.))/, (_, next: string) => `"names":{${reserved}${next === '}' ? '' : ','}`)
        : line,
  },
} as const satisfies Readonly<Record<string, Oddity>>;

const active = { is_active: true, names: { en: 'Odd' } };

const transport = ({ seed }: SampleContext, key: string | null, position = 0): SampleRecord => ({
  uuid: uuidAt(seed, `odd transport ${key}`, position),
  key,
  class_key: null,
  requires_pilot: false,
  icon_key: null,
  ...active,
});

const mandate = ({ seed }: SampleContext, key: string | null): SampleRecord => ({
  uuid: uuidAt(seed, `odd mandate ${key}`, 0),
  key,
  ...active,
});

const attribute = (
  { seed }: SampleContext,
  key: string | null,
  more: SampleRecord = { type: 'TEXT' },
): SampleRecord => ({
  uuid: uuidAt(seed, `odd attribute ${key} ${String(more['type'])}`, 0),
  key,
  ...active,
  ...more,
});

const option = ({ seed }: SampleContext, key: string | null): SampleRecord => ({
  uuid: uuidAt(seed, `odd option ${key}`, 0),
  key,
  order: 0,
  ...active,
});

const longKey = 'a_key_that_is_far_longer_than_any_value_may_be_'.repeat(3);

/** Unusual keys and attributes (bundle contract, 3 and 5). */
const keyOddities = {
  'prototype-keys': {
    extra: {
      transports: (context) => [transport(context, '__proto__'), transport(context, 'constructor')],
      patrol_attributes: (context) => [attribute(context, '__proto__'), attribute(context, 'constructor')],
    },
  },
  'keys-without-letters': {
    extra: {
      mandates: (context) => [mandate(context, '巡逻'), mandate(context, 'object'), mandate(context, 'object1')],
    },
  },
  'long-keys': {
    extra: {
      transports: (context) => [transport(context, longKey)],
      patrol_attributes: (context) => [
        attribute(context, longKey, { type: 'LIST', options: [option(context, `${longKey}${longKey}`)] }),
      ],
    },
  },
  'reserved-keys': {
    extra: {
      patrol_attributes: (context) =>
        ['mandate', 'Station', 'class'].map((key) => attribute(context, key, { type: 'LIST', options: [] })),
    },
  },
  'missing-keys': {
    extra: {
      transports: (context) => [transport(context, null), transport(context, '')],
      mandates: (context) => [mandate(context, null)],
      patrol_attributes: (context) => [
        attribute(context, null),
        attribute(context, 'keyless_option', { type: 'LIST', options: [option(context, null)] }),
      ],
    },
  },
  'unknown-attribute-types': {
    extra: { patrol_attributes: (context) => [attribute(context, 'shape', { type: 'POLYGON', options: 'anything' })] },
  },
  'lists-without-options': {
    extra: { patrol_attributes: (context) => [attribute(context, 'empty', { type: 'LIST' })] },
  },
} as const satisfies Readonly<Record<string, Oddity>>;

const dashed = (uuid: string): string =>
  uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase();

/** Changes every uuid of a value to the other spelling. */
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

/** Unusual employees, patrols and records (bundle contract, 5). */
const recordOddities = {
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

const fileOddities = {
  'byte-order-mark': { style: { mark: true } },
  crlf: { style: { crlf: true } },
  'blank-lines': { style: { blankLines: true } },
  'no-last-newline': { style: { withoutLastNewline: true } },
  'unknown-kinds': { extra: { weather_reports: () => [{ anything: 1 }], waypoints: () => [{ anything: 2 }] } },
  'inferred-zone': { head: (head) => ({ ...head, timezone_source: 'inferred' }) },
  'later-minor-version': { head: (head) => ({ ...head, format_version: '1.27' }) },
} as const satisfies Readonly<Record<string, Oddity>>;

const all = { ...fileOddities, ...labelOddities, ...keyOddities, ...recordOddities };

/** Name of an unusual feature of a valid sample; most of them cause a warning (bundle contract, 5). */
export type EdgeCase = keyof typeof all;

/** All names of unusual features. */
export const edgeCases = Object.keys(all) as readonly EdgeCase[];

/** Returns the unusual features with these names. */
export const odditiesOf = (names: readonly EdgeCase[]): readonly Oddity[] => names.map((name) => all[name]);

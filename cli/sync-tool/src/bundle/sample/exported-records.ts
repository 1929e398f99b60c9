import { dashedId } from '@ranger-relay/site';
import { uuidAt } from './random.ts';
import type { SampleRecord } from './write-bundle.ts';

/** Counts of an exported bundle's objects, by their names in its manifest. */
export type ExportedCounts = Record<
  | 'patrols'
  | 'legs'
  | 'leg_days'
  | 'waypoints'
  | 'observations'
  | 'tracks'
  | 'track_points'
  | 'employees'
  | 'attachments',
  number
>;

type Names = Readonly<Record<string, unknown>>;
interface Employment {
  readonly start: string;
  readonly end: string | null;
}

const dashed = (uuid: unknown): string | null => (typeof uuid === 'string' ? dashedId(uuid) : null);
const records = (value: unknown): readonly SampleRecord[] => (Array.isArray(value) ? (value as SampleRecord[]) : []);
const dateOf = (time: unknown): unknown => (typeof time === 'string' ? time.slice(0, 10) : null);
const timeOf = (time: unknown): unknown => (typeof time === 'string' ? time.slice(11, 19) : null);
const membersOfTeam = 3;

/** What the conversion is told of a bundle. */
export interface ExportedOptions {
  readonly defaultLanguage: string;
  /** Local date of the export. */
  readonly exportedOn: string;
  readonly waypointsPerLeg: number;
}

/**
 * Converts records of our format to objects of exported bundles, which say the same as far as that format can. Keeps what later objects refer
 * to, so the kinds are to be converted in the order of the lists.
 */
export class ExportedRecords {
  readonly counts: ExportedCounts = {
    patrols: 0,
    legs: 0,
    leg_days: 0,
    waypoints: 0,
    observations: 0,
    tracks: 0,
    track_points: 0,
    employees: 0,
    attachments: 0,
  };
  readonly #options: ExportedOptions;
  readonly #attributes = new Map<string, string | null>();
  readonly #employees: (string | null)[] = [];
  readonly #agencies = new Map<string, SampleRecord>();
  readonly #ranks = new Map<string, SampleRecord>();

  constructor(options: ExportedOptions) {
    this.#options = options;
  }

  /** Agencies and ranks of the employees that were converted. */
  readonly agencies = (): Iterable<SampleRecord> => this.#agencies.values();
  readonly ranks = (): Iterable<SampleRecord> => this.#ranks.values();

  readonly patrolType = ({ key, is_active }: SampleRecord): SampleRecord => ({
    key: String(key).toUpperCase(),
    active: is_active,
    max_speed: null,
  });

  readonly transport = (record: SampleRecord): SampleRecord => ({
    ...this.#keyed(record),
    patrol_type: typeof record['class_key'] === 'string' ? record['class_key'].toUpperCase() : null,
  });

  readonly mandate = (record: SampleRecord): SampleRecord => this.#keyed(record);

  readonly station = (record: SampleRecord): SampleRecord => this.#vocabulary(record);

  readonly attribute = (record: SampleRecord): SampleRecord => {
    const { type } = record;
    this.#attributes.set(String(record['key']), dashed(record['uuid']));
    const ordered = records(record['options']).toSorted((a, b) => Number(a['order']) - Number(b['order']));
    return { ...this.#keyed(record), type, options: ordered.map((option) => this.#keyed(option)) };
  };

  readonly employee = (record: SampleRecord): SampleRecord => {
    const uuid = dashed(record['uuid']);
    const { start, end } = record['employment'] as Employment;
    const { agency, rank } = record as { readonly agency?: { key: string }; readonly rank?: { names: Names } };
    this.#employees.push(uuid);
    this.counts.employees += 1;
    return {
      uuid,
      id: record['id'],
      given_name: record['given_name'],
      family_name: record['family_name'],
      agency_uuid: agency ? this.#shared(this.#agencies, agency.key, { key: agency.key }) : null,
      rank_uuid: rank
        ? this.#shared(this.#ranks, JSON.stringify(rank.names), { ...this.#labels(rank.names), agency_uuid: null })
        : null,
      employment_start: start,
      employment_end: end,
      active: start <= this.#options.exportedOn && (end === null || end >= this.#options.exportedOn),
      has_ext_login: record['has_ext_login'],
    };
  };

  readonly team = ({ uuid, names }: SampleRecord): SampleRecord => ({
    uuid: dashed(uuid),
    ...this.#labels(names as Names),
    member_uuids: this.#employees.slice(0, membersOfTeam),
  });

  readonly patrol = (record: SampleRecord): SampleRecord => {
    const attributes = Object.entries(record['attributes'] as Readonly<Record<string, unknown>>);
    this.counts.patrols += 1;
    return {
      uuid: dashed(record['uuid']),
      id: record['id'],
      patrol_type: String(record['class_key']).toUpperCase(),
      station_uuid: dashed(record['station_uuid']),
      team_uuid: dashed(record['team_uuid']),
      objective: record['objective'],
      comment: record['comment'],
      armed: record['is_armed'],
      start_date: record['start_date'],
      end_date: record['end_date'],
      attributes: attributes.map(([key, value]) => ({ attribute_uuid: this.#attributes.get(key), key, value })),
      legs: records(record['legs']).map((leg) => this.#leg(leg)),
    };
  };

  #leg(record: SampleRecord): SampleRecord {
    const { starts_at: from, ends_at: to } = record;
    const uuid = String(record['uuid']);
    const day = dashedId(uuidAt(0, `day ${uuid}`, 0));
    const { waypointsPerLeg } = this.#options;
    this.counts.legs += 1;
    this.counts.leg_days += 1;
    this.counts.waypoints += waypointsPerLeg;
    this.counts.observations += waypointsPerLeg;
    return {
      uuid: dashed(uuid),
      id: record['id'],
      transport_uuid: dashed(record['transport_uuid']),
      mandate_uuid: dashed(record['mandate_uuid']),
      start_date: dateOf(from),
      end_date: dateOf(to),
      placeholder_dates: false,
      members: records(record['members']).map((member) => ({
        employee_uuid: dashed(member['employee_uuid']),
        leader: member['is_leader'],
        pilot: member['is_pilot'],
      })),
      days: [
        {
          uuid: day,
          date: dateOf(from),
          start_time: timeOf(from),
          end_time: timeOf(to),
          rest_minutes: 0,
          start: from,
          end: to,
          has_track: false,
        },
      ],
      waypoints: Array.from({ length: waypointsPerLeg }, (_, at) => waypoint(uuid, day, from, at)),
    };
  }

  #labels(names: Names | undefined): SampleRecord {
    return { labels: names ?? {}, label: names?.[this.#options.defaultLanguage] ?? null };
  }

  #vocabulary({ uuid, names, is_active }: SampleRecord): SampleRecord {
    return { uuid: dashed(uuid), ...this.#labels(names as Names | undefined), active: is_active };
  }

  /** The key of a node of a tree is its path. */
  #keyed(record: SampleRecord): SampleRecord {
    return { ...this.#vocabulary(record), key: record['path'] ?? record['key'] };
  }

  #shared(known: Map<string, SampleRecord>, identity: string, members: SampleRecord): unknown {
    const uuid = dashedId(uuidAt(0, `shared ${identity}`, 0));
    if (!known.has(identity)) known.set(identity, { uuid, ...members });
    return uuid;
  }
}

const species = ['elephant', 'buffalo', 'giraffe', 'zebra'];

/** The nth waypoint of a leg, with one observation of some of the attributes that real ones have. */
const waypoint = (leg: string, day: string, time: unknown, at: number): SampleRecord => {
  const name = `waypoint ${leg}`;
  const kind = species[at % species.length] ?? '';
  return {
    uuid: dashedId(uuidAt(0, name, at)),
    id: String(at + 1),
    leg_day_uuid: day,
    time,
    location: [36 + (at % 1_000) / 1_000, -1 - (at % 777) / 777],
    comment: at % 4 === 0 ? 'Seen from the ridge, moving north.' : '',
    source: 'PATROL',
    last_modified_by_uuid: null,
    attachments: [],
    observation_groups: [
      {
        uuid: dashedId(uuidAt(1, name, at)),
        observations: [
          {
            uuid: dashedId(uuidAt(2, name, at)),
            category_key: 'sighting',
            category_hkey: 'wildlife.sighting.',
            employee_uuid: null,
            attributes: [
              { key: 'species', type: 'LIST', value: kind, label: kind, labels: { en: kind } },
              { key: 'count', type: 'NUMERIC', value: 1 + (at % 20), label: null, labels: {} },
            ],
          },
        ],
      },
    ],
  };
};

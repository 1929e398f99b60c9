import { describe } from '../describe.ts';
import type { FileFindings } from '../findings.ts';
import { UuidTable } from '../identity/uuid-table.ts';
import { isObject, type Members } from '../json/parse-line.ts';
import type { Usage } from '../model.ts';
import type { ZoneTimestamps } from '../time/zone-timestamps.ts';
import {
  checkClass,
  checkDate,
  checkFlag,
  checkOwnUuid,
  checkReference,
  checkText,
  checkUuidOrNull,
} from './patrol-checks.ts';
import { PatrolPlace } from './patrol-place.ts';
import type { References } from './references.ts';

/** What patrols may refer to. */
export interface KnownRecords {
  readonly stations: References;
  readonly transports: References;
  readonly mandates: References;
  readonly employees: References;
  /** Keys. */
  readonly classes: ReadonlySet<string>;
}

/** What patrols of a part of a file use, as it travels between threads. */
export interface PartUsage {
  readonly count: number;
  /** Uuids, as `UuidTable.words` has them. */
  readonly patrols: Int32Array<ArrayBuffer>;
  readonly legs: Int32Array<ArrayBuffer>;
  /** Of stations, transports, mandates and employees. */
  readonly uses: readonly Uint8Array<ArrayBuffer>[];
}

/** Legs of a patrol, about. */
const usualLegs = 1.5;
const noItems: readonly unknown[] = [];

/** Checks patrols one by one and keeps only what they use (bundle contract, 2 and 6). */
export class UsageReader {
  readonly #known: KnownRecords;
  readonly #timestamps: ZoneTimestamps;
  readonly #place: PatrolPlace;
  readonly #patrols: UuidTable;
  readonly #legs: UuidTable;
  #count = 0;

  /** @param expected about how many patrols will come */
  constructor(known: KnownRecords, timestamps: ZoneTimestamps, at: FileFindings, expected: number) {
    this.#known = known;
    this.#patrols = new UuidTable(expected);
    this.#legs = new UuidTable(expected * usualLegs);
    this.#timestamps = timestamps;
    this.#place = new PatrolPlace(at);
  }

  /** Takes one record of `patrols`. */
  take(patrol: Members): void {
    const place = this.#place;
    this.#count += 1;
    this.#header(patrol);
    const legs = this.#list(patrol['legs'], 'legs');
    for (let leg = 0; leg < legs.length; leg += 1) {
      const item = legs[leg];
      if (!this.#isPart(item, 'legs', leg)) continue;
      place.leg = leg;
      this.#leg(item);
      place.leg = -1;
    }
  }

  /** What was found so far, for a reader of other patrols of the same file. */
  found(): PartUsage {
    const { stations, transports, mandates, employees } = this.#known;
    return {
      count: this.#count,
      patrols: this.#patrols.words(),
      legs: this.#legs.words(),
      uses: [stations, transports, mandates, employees].map((records) => records.uses()),
    };
  }

  /** Takes what another reader found in other patrols; false, and nothing is taken, when a uuid stands in both. */
  takeFound({ count, patrols, legs, uses }: PartUsage): boolean {
    if (this.#patrols.sharesAny(patrols) || this.#legs.sharesAny(legs)) return false;
    const { stations, transports, mandates, employees } = this.#known;
    this.#count += count;
    for (const [index, records] of [stations, transports, mandates, employees].entries())
      records.useAlso(uses[index] ?? new Uint8Array());
    return true;
  }

  /** What all patrols together use. */
  usage(): Usage {
    const { stations, transports, mandates, employees } = this.#known;
    return {
      patrols: this.#count,
      stations: stations.used(),
      transports: transports.used(),
      mandates: mandates.used(),
      members: employees.used(),
    };
  }

  #header(patrol: Members): void {
    const place = this.#place;
    const { station_uuid: station, attributes, start_date: start, end_date: end } = patrol;
    checkOwnUuid(patrol['uuid'], 'uuid', this.#patrols, place);
    checkText(patrol['id'], 'id', place);
    checkClass(patrol['class_key'], this.#known.classes, place);
    if (station !== null && station !== undefined)
      checkReference(station, 'station_uuid', 'station', this.#known.stations, place);
    checkUuidOrNull(patrol['team_uuid'], 'team_uuid', place);
    checkFlag(patrol['is_armed'], 'is_armed', place);
    checkText(patrol['objective'], 'objective', place, true);
    checkText(patrol['comment'], 'comment', place, true);
    if (!isObject(attributes)) place.problem(`attributes must be an object, it is ${describe(attributes)}`);
    if (checkDate(start, 'start_date', place) && checkDate(end, 'end_date', place) && end < start)
      place.warn('patrol ended', `end_date ${end} is before start_date ${start}`);
  }

  #leg(leg: Members): void {
    const place = this.#place;
    checkOwnUuid(leg['uuid'], 'uuid', this.#legs, place);
    checkText(leg['id'], 'id', place);
    checkReference(leg['transport_uuid'], 'transport_uuid', 'transport', this.#known.transports, place);
    checkReference(leg['mandate_uuid'], 'mandate_uuid', 'mandate', this.#known.mandates, place);
    const from = this.#time(leg['starts_at'], 'starts_at');
    const to = this.#time(leg['ends_at'], 'ends_at');
    if (to < from) place.warn('leg ended', 'ends_at is before starts_at');
    const members = this.#list(leg['members'], 'members');
    for (let member = 0; member < members.length; member += 1) {
      const item = members[member];
      if (!this.#isPart(item, 'members', member)) continue;
      place.member = member;
      this.#member(item);
      place.member = -1;
    }
  }

  #member(member: Members): void {
    const place = this.#place;
    checkReference(member['employee_uuid'], 'employee_uuid', 'employee', this.#known.employees, place);
    checkFlag(member['is_leader'], 'is_leader', place);
    checkFlag(member['is_pilot'], 'is_pilot', place);
  }

  #time(value: unknown, member: string): number {
    return value === null || value === undefined ? NaN : this.#timestamps.read(value, member, this.#place);
  }

  #isPart(item: unknown, list: string, index: number): item is Members {
    if (isObject(item)) return true;
    this.#place.problem(`${list}[${index}] must be an object, it is ${describe(item)}`);
    return false;
  }

  #list(value: unknown, member: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.#place.problem(`${member} must be a list, it is ${describe(value)}`);
    return noItems;
  }
}

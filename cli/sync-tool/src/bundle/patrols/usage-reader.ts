import { describe, type FileFindings, type Noting, quote } from '../findings.ts';
import { canonicalUuid } from '../values.ts';
import { isObject, type Members } from '../json/parse-line.ts';
import type { Attribute, Usage } from '../model.ts';
import { isDate, type ZoneTimestamps } from '../time/time.ts';
import { AttributeValues } from './attribute-values.ts';
import { legEnds, type RequirementCollector, type RequirementKind, spanFault } from './requirements.ts';

/** Findings of the current patrol. Its parts are identified by number, so that names are built only for problems. */
class PatrolPlace implements Noting {
  readonly #at: FileFindings;
  /** Position of the current leg, from 0, or -1; and of its member. */
  leg = -1;
  member = -1;

  constructor(at: FileFindings) {
    this.#at = at;
  }

  get line(): number {
    return this.#at.line;
  }

  problem(text: string): void {
    this.#at.problem(this.#part() + text);
  }

  warn(kind: string, text: string): void {
    this.#at.warn(kind, this.#part() + text);
  }

  #part(): string {
    if (this.leg < 0) return '';
    return this.member < 0 ? `legs[${this.leg}].` : `legs[${this.leg}].members[${this.member}].`;
  }
}

// Bundles have many patrols, so this code creates objects and messages only for problems.

const complain = (at: Noting, member: string, wanted: string, value: unknown): void => {
  at.problem(`${member} must be ${wanted}, it is ${describe(value)}`);
};

/** Checks that a member is a text; null or missing is valid only when the member is nullable. */
const checkText = (value: unknown, member: string, at: Noting, orNull = false): void => {
  if (typeof value !== 'string' && !(orNull && (value === null || value === undefined)))
    complain(at, member, orNull ? 'a text or null' : 'a text', value);
};

/** Checks that a member is `true` or `false`. */
const checkFlag = (value: unknown, member: string, at: Noting): void => {
  if (typeof value !== 'boolean') complain(at, member, 'true or false', value);
};

/** Checks that a member is a date, and reports a problem otherwise. */
const checkDate = (value: unknown, member: string, at: Noting): value is string => {
  if (typeof value === 'string' && isDate(value)) return true;
  complain(at, member, 'a date as 2024-03-02', value);
  return false;
};

/** Returns the canonical uuid; undefined with a problem when the value is not a uuid. */
const uuidOf = (value: unknown, member: string, at: Noting): string | undefined => {
  const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
  if (uuid !== null) return uuid;
  complain(at, member, 'a uuid of 32 hex digits that are not all zero', value);
  return undefined;
};

/** The canonical form of a nullable uuid that is not looked up. */
const uuidIfAny = (value: unknown, member: string, at: Noting): string | undefined =>
  value === null || value === undefined ? undefined : uuidOf(value, member, at);

/** Checks a uuid that must be unique for its kind in the file. */
const checkOwnUuid = (value: unknown, member: string, lines: Map<string, number>, at: Noting): void => {
  const uuid = uuidOf(value, member, at);
  if (uuid === undefined) return;
  const first = lines.get(uuid);
  if (first === undefined) lines.set(uuid, at.line);
  else at.problem(`${member} ${uuid} stands in the file twice, first in line ${first}`);
};

/** Checks a reference by uuid and registers its use. A missing record is a warning, and the use does not count. Returns the uuid. */
const checkReference = (
  value: unknown,
  member: string,
  what: string,
  known: References,
  at: Noting,
): string | undefined => {
  // Nearly every reference is to a known record, in the canonical spelling.
  if (typeof value === 'string' && known.use(value)) return value;
  const uuid = uuidOf(value, member, at);
  if (uuid !== undefined && !known.use(uuid))
    at.warn(`unknown ${what}`, `${member} ${uuid} names no ${what} of the bundle; this use is ignored`);
  return uuid;
};

/** Checks the key of a class. A missing class is a warning. */
const checkClass = (value: unknown, known: ReadonlySet<string>, at: Noting): void => {
  if (typeof value !== 'string') complain(at, 'class_key', 'a text', value);
  else if (!known.has(value)) at.warn('unknown class', `class_key ${quote(value)} names no patrol class of the bundle`);
};

/** The records of a kind that patrols may refer to, and which of them are used. */
export class References {
  readonly #known: ReadonlyMap<string, { isUsed: boolean }>;

  /** @param records with canonical uuids */
  constructor(records: readonly { readonly uuid: string }[]) {
    this.#known = new Map(records.map(({ uuid }) => [uuid, { isUsed: false }]));
  }

  /** Registers a use; false when the record does not exist. */
  use(uuid: string): boolean {
    const record = this.#known.get(uuid);
    if (record === undefined) return false;
    record.isUsed = true;
    return true;
  }

  /** The uuids of the records that are used. */
  used(): ReadonlySet<string> {
    return new Set([...this.#known].flatMap(([uuid, { isUsed }]) => (isUsed ? [uuid] : [])));
  }
}

/** The records that patrols may refer to. */
export interface KnownRecords {
  readonly stations: References;
  readonly transports: References;
  readonly mandates: References;
  readonly employees: References;
  /** Their keys; in an exported bundle, their values. */
  readonly classes: ReadonlySet<string>;
}

const noItems: readonly unknown[] = [];

/** Where to collect what patrols need, and the attributes that the bundle defines. */
export interface RequirementSources {
  readonly collector: RequirementCollector;
  readonly attributes: readonly Attribute[];
}

/** Checks patrols one at a time and keeps only which records they use (bundle contract, 2 and 6). */
export class UsageReader {
  readonly #known: KnownRecords;
  readonly #timestamps: ZoneTimestamps;
  readonly #place: PatrolPlace;
  /** Lines of the uuids read so far. */
  readonly #patrols = new Map<string, number>();
  readonly #legs = new Map<string, number>();
  readonly #teams = new Map<string, number>();
  readonly #collector: RequirementCollector | undefined;
  readonly #values: AttributeValues | undefined;
  readonly #at: FileFindings;
  #count = 0;
  #dates = { start: '', end: '' };

  /** @param requirements where to collect what the patrols need; undefined when nobody asks */
  constructor(known: KnownRecords, timestamps: ZoneTimestamps, at: FileFindings, requirements?: RequirementSources) {
    this.#known = known;
    this.#timestamps = timestamps;
    this.#place = new PatrolPlace(at);
    this.#at = at;
    this.#collector = requirements?.collector;
    this.#values = requirements && new AttributeValues(requirements.attributes, requirements.collector);
  }

  /** Checks one record of `patrols`. */
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
    this.#collector?.end(this.#at);
  }

  /** The records that all patrols use. */
  usage(): Usage {
    const { stations, transports, mandates, employees } = this.#known;
    return {
      patrols: this.#count,
      stations: stations.used(),
      transports: transports.used(),
      mandates: mandates.used(),
      members: employees.used(),
      teams: this.#teams,
    };
  }

  #header(patrol: Members): void {
    const place = this.#place;
    const { station_uuid: station, attributes, start_date: start, end_date: end } = patrol;
    checkOwnUuid(patrol['uuid'], 'uuid', this.#patrols, place);
    checkText(patrol['id'], 'id', place);
    checkClass(patrol['class_key'], this.#known.classes, place);
    if (typeof patrol['class_key'] === 'string') this.#need('class', patrol['class_key']);
    if (station !== null && station !== undefined)
      this.#need('station', checkReference(station, 'station_uuid', 'station', this.#known.stations, place));
    const team = uuidIfAny(patrol['team_uuid'], 'team_uuid', place);
    this.#need('team', team);
    if (team !== undefined) this.#teams.set(team, (this.#teams.get(team) ?? 0) + 1);
    checkFlag(patrol['is_armed'], 'is_armed', place);
    checkText(patrol['objective'], 'objective', place, true);
    checkText(patrol['comment'], 'comment', place, true);
    if (!isObject(attributes)) place.problem(`attributes must be an object, it is ${describe(attributes)}`);
    else if (this.#values) for (const key of Object.keys(attributes)) this.#values.take(key, attributes[key], this.#at);
    if (!checkDate(start, 'start_date', place) || !checkDate(end, 'end_date', place)) return;
    if (end < start) place.warn('patrol ended', `end_date ${end} is before start_date ${start}`);
    this.#dates = { start, end };
  }

  #need(kind: RequirementKind, key: string | undefined): void {
    if (key !== undefined) this.#collector?.need(kind, key);
  }

  #leg(leg: Members): void {
    const place = this.#place;
    checkOwnUuid(leg['uuid'], 'uuid', this.#legs, place);
    checkText(leg['id'], 'id', place);
    const { transports, mandates } = this.#known;
    this.#need('transport', checkReference(leg['transport_uuid'], 'transport_uuid', 'transport', transports, place));
    this.#need('mandate', checkReference(leg['mandate_uuid'], 'mandate_uuid', 'mandate', mandates, place));
    const { starts_at: start, ends_at: end } = leg;
    const from = this.#time(start, 'starts_at');
    const to = this.#time(end, 'ends_at');
    if (to < from) place.warn('leg ended', 'ends_at is before starts_at');
    this.#collector?.leg(!Number.isNaN(from) && !Number.isNaN(to));
    this.#span(start, end, to < from);
    const members = this.#list(leg['members'], 'members');
    for (let member = 0; member < members.length; member += 1) {
      const item = members[member];
      if (!this.#isPart(item, 'members', member)) continue;
      place.member = member;
      this.#member(item);
      place.member = -1;
    }
  }

  /** Looks whether a leg, by its local dates, lies within its patrol. */
  #span(start: unknown, end: unknown, isReversed: boolean): void {
    if (this.#collector === undefined) return;
    const [from, to] = [start, end].map((time) => (typeof time === 'string' ? time.slice(0, 10) : null));
    const text = isReversed ? legEnds : spanFault({ start: from, end: to }, this.#dates);
    if (text !== null) this.#collector.fault('leg_span', text, this.#at);
  }

  #member(member: Members): void {
    const place = this.#place;
    const uuid = checkReference(member['employee_uuid'], 'employee_uuid', 'employee', this.#known.employees, place);
    if (uuid !== undefined) this.#collector?.member(uuid, member['is_leader'] === true);
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

import { isObject } from '@ranger-relay/errors';
import { describe, type FileFindings, type Noting, quote } from '../findings.ts';
import type { Members } from '../json/parse-line.ts';
import { type Attribute, hasOptions, type Usage } from '../model.ts';
import { canonicalUuid } from '../values.ts';
import {
  optionKey,
  type PatrolRequirements,
  type Place,
  RequirementCollector,
  type RequirementKind,
} from './requirements.ts';

interface KnownAttribute {
  readonly attribute: Attribute;
  /** Values of options, by key, path, uuid and value. */
  readonly options: ReadonlyMap<string, string>;
}

const optionsOf = ({ options }: Attribute): ReadonlyMap<string, string> =>
  new Map(
    options.flatMap(({ uuid, key, path, value }) =>
      value === null ? [] : [uuid, value, key, path].flatMap((name) => (name === null ? [] : [[name, value] as const])),
    ),
  );

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)));

/** Looks whether the values that patrols give to custom attributes are among those that the bundle defines. */
class AttributeValues {
  readonly #byKey = new Map<string, KnownAttribute>();
  readonly #collector: RequirementCollector;

  constructor(attributes: readonly Attribute[], collector: RequirementCollector) {
    this.#collector = collector;
    for (const attribute of attributes)
      if (attribute.key !== null) this.#byKey.set(attribute.key, { attribute, options: optionsOf(attribute) });
  }

  /** Takes the value that the current patrol gives to an attribute; null stands for none. */
  take(key: string, value: unknown, place: Place): void {
    if (value === null || value === undefined || value === '') return;
    const known = this.#byKey.get(key);
    if (known === undefined)
      return this.#collector.fault('unknown_attribute', `the attribute ${quote(key)} does not exist`, place);
    const { attribute } = known;
    this.#collector.need('field', attribute.uuid);
    if (hasOptions(attribute)) for (const each of [value].flat()) this.#option(known, each, place);
    else if (attribute.type === 'NUMERIC' && !isNumeric(value))
      this.#collector.fault('text_in_number', `the attribute ${quote(key)} takes numbers, not ${kindOf(value)}`, place);
  }

  #option({ attribute: { key, choiceField }, options }: KnownAttribute, value: unknown, place: Place): void {
    const text = typeof value === 'string' ? value : '';
    const found = options.get(text) ?? options.get(text.replace(/\.$/, '')) ?? options.get(canonicalUuid(text) ?? '');
    if (found !== undefined && choiceField !== null) this.#collector.need('option', optionKey(choiceField, found));
    else
      this.#collector.fault(
        'unknown_option',
        `the attribute ${quote(key ?? '')} has no option for ${describe(value)}`,
        place,
      );
  }
}

const kindOf = (value: unknown): string => (typeof value === 'string' ? 'a text' : describe(value));

/** Findings of the current patrol. Its parts are identified by number, so that names are built only for problems. */
export class PatrolPlace implements Noting {
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

  /** Reports a member that is not as it must be. */
  complain(member: string, wanted: string, value: unknown): void {
    this.problem(
      value === undefined ? `${member} is missing` : `${member} must be ${wanted}, it is ${describe(value)}`,
    );
  }

  #part(): string {
    if (this.leg < 0) return '';
    return this.member < 0 ? `legs[${this.leg}].` : `legs[${this.leg}].members[${this.member}].`;
  }
}

/** The records of a kind that patrols may refer to, and which of them are used. */
class References {
  readonly #known: ReadonlyMap<string, { isUsed: boolean }>;

  /** @param records with canonical uuids */
  constructor(records: readonly { readonly uuid: string }[]) {
    this.#known = new Map(records.map(({ uuid }) => [uuid, { isUsed: false }]));
  }

  /** Registers a use; false when the record does not exist. */
  use(uuid: string): boolean {
    const record = this.#known.get(uuid);
    if (record !== undefined) record.isUsed = true;
    return record !== undefined;
  }

  /** The uuids of the records that are used. */
  used(): ReadonlySet<string> {
    return new Set([...this.#known].flatMap(([uuid, { isUsed }]) => (isUsed ? [uuid] : [])));
  }
}

type Referable = 'station' | 'transport' | 'mandate' | 'employee';

/** What the patrols of one format look like. */
export interface PatrolFormat {
  /** Name of the member with the key of the class, and of the flag of a leader. */
  readonly classMember: string;
  readonly leaderMember: string;
  /** Whether a class, and what a leg refers to, may be null. */
  readonly mayLack: boolean;
  /** Whether a member of a leg whom the employees lack counts as one of them. */
  readonly takesUnlisted: boolean;
  /** Checks of what is not used: of a patrol, of a leg and of its member. */
  checkPatrol(patrol: Members, place: PatrolPlace): void;
  checkLeg(leg: Members, place: PatrolPlace): void;
  checkMember(member: Members, place: PatrolPlace): void;
  /** The values that a patrol gives to custom attributes, by their keys. */
  answersOf(patrol: Members, place: PatrolPlace): Iterable<readonly [key: string, value: unknown]>;
  /** Whether the times of a leg are known, and what is odd about its dates; null when nothing is. */
  timesOf(
    leg: Members,
    patrol: Members,
    place: PatrolPlace,
  ): { readonly isTimed: boolean; readonly fault: string | null };
}

/** The records that patrols may refer to. */
export interface PatrolSources {
  readonly stations: readonly { readonly uuid: string }[];
  readonly transports: readonly { readonly uuid: string }[];
  readonly mandates: readonly { readonly uuid: string }[];
  readonly employees: readonly { readonly uuid: string }[];
  readonly attributes: readonly Attribute[];
  /** As patrols name them. */
  readonly classes: ReadonlySet<string>;
}

/** What patrols use and need. */
export interface ReadPatrols {
  readonly usage: Usage;
  readonly requirements: PatrolRequirements;
  /** Members of legs whom the employees lack and that count as such. */
  readonly unlisted: ReadonlySet<string>;
}

/** Reads patrols one at a time and keeps only which records they use, and what they need on the site (bundle contract, 2 and 6). */
export class PatrolReader {
  readonly collector = new RequirementCollector();
  readonly #format: PatrolFormat;
  readonly #at: FileFindings;
  readonly #place: PatrolPlace;
  readonly #classes: ReadonlySet<string>;
  readonly #values: AttributeValues;
  readonly #known: Readonly<Record<Referable, References>>;
  readonly #teams = new Map<string, number>();
  readonly #unlisted = new Set<string>();
  #count = 0;

  constructor(format: PatrolFormat, sources: PatrolSources, at: FileFindings) {
    this.#format = format;
    this.#at = at;
    this.#place = new PatrolPlace(at);
    this.#classes = sources.classes;
    this.#values = new AttributeValues(sources.attributes, this.collector);
    this.#known = {
      station: new References(sources.stations),
      transport: new References(sources.transports),
      mandate: new References(sources.mandates),
      employee: new References(sources.employees),
    };
  }

  /** Reads one patrol. */
  take(patrol: Members): void {
    const place = this.#place;
    this.#count += 1;
    this.#format.checkPatrol(patrol, place);
    this.#class(patrol[this.#format.classMember]);
    this.#reference(patrol['station_uuid'], 'station_uuid', 'station', true);
    const team = this.#uuid(patrol['team_uuid'], 'team_uuid', true);
    if (team !== undefined) {
      this.#need('team', team);
      this.#teams.set(team, (this.#teams.get(team) ?? 0) + 1);
    }
    for (const [key, value] of this.#format.answersOf(patrol, place)) this.#values.take(key, value, this.#at);
    this.#each(patrol, 'legs', (leg, index) => {
      place.leg = index;
      this.#leg(leg, patrol);
      place.leg = -1;
    });
    this.collector.end(this.#at);
  }

  /** What all patrols use and need. */
  end(): ReadPatrols {
    const { station, transport, mandate, employee } = this.#known;
    const usage = {
      patrols: this.#count,
      stations: station.used(),
      transports: transport.used(),
      mandates: mandate.used(),
      members: new Set([...employee.used(), ...this.#unlisted]),
      teams: this.#teams,
    };
    return { usage, requirements: this.collector.requirements(), unlisted: this.#unlisted };
  }

  #need(kind: RequirementKind, key: string): void {
    this.collector.need(kind, key);
  }

  #class(key: unknown): void {
    const { classMember, mayLack } = this.#format;
    if (mayLack && key === null) return;
    if (typeof key !== 'string') return this.#place.complain(classMember, mayLack ? 'a text or null' : 'a text', key);
    this.#need('class', key);
    if (!this.#classes.has(key) && !(mayLack && this.#classes.has(key.toLowerCase())))
      this.#place.warn('unknown class', `${classMember} ${quote(key)} names no patrol class of the bundle`);
  }

  #leg(leg: Members, patrol: Members): void {
    const place = this.#place;
    const { mayLack, checkLeg, timesOf } = this.#format;
    checkLeg(leg, place);
    this.#reference(leg['transport_uuid'], 'transport_uuid', 'transport', mayLack);
    this.#reference(leg['mandate_uuid'], 'mandate_uuid', 'mandate', mayLack);
    const { isTimed, fault } = timesOf(leg, patrol, place);
    this.collector.leg(isTimed);
    if (fault !== null) this.collector.fault('leg_span', fault, this.#at);
    this.#each(leg, 'members', (member, index) => {
      place.member = index;
      this.#member(member);
      place.member = -1;
    });
  }

  #member(member: Members): void {
    const { leaderMember, checkMember } = this.#format;
    const uuid = this.#use(member['employee_uuid'], 'employee_uuid', 'employee', false);
    if (uuid !== undefined) this.collector.member(uuid, member[leaderMember] === true);
    checkMember(member, this.#place);
  }

  #reference(value: unknown, member: string, kind: 'station' | 'transport' | 'mandate', mayLack: boolean): void {
    const uuid = this.#use(value, member, kind, mayLack);
    if (uuid !== undefined) this.#need(kind, uuid);
  }

  /** Registers the use of a record and returns its uuid. A missing record is a warning, and the use does not count. */
  #use(value: unknown, member: string, kind: Referable, mayLack: boolean): string | undefined {
    // Nearly every reference is to a known record, in the canonical spelling.
    if (typeof value === 'string' && this.#known[kind].use(value)) return value;
    const uuid = this.#uuid(value, member, mayLack);
    if (uuid === undefined || this.#known[kind].use(uuid)) return uuid;
    const isPlanned = kind === 'employee' && this.#format.takesUnlisted;
    if (isPlanned) this.#unlisted.add(uuid);
    const consequence = isPlanned ? 'an inactive subject is planned for it' : 'this use is ignored';
    this.#place.warn(`unknown ${kind}`, `${member} ${uuid} names no ${kind} of the bundle; ${consequence}`);
    return uuid;
  }

  /** The canonical uuid; undefined for null where that is valid, and with a problem for anything else. */
  #uuid(value: unknown, member: string, mayLack: boolean): string | undefined {
    // Formats say by themselves which members must be there.
    if (mayLack && (value === null || value === undefined)) return undefined;
    const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
    if (uuid !== null) return uuid;
    this.#place.complain(member, `a uuid of 32 hex digits that are not all zero${mayLack ? ', or null' : ''}`, value);
    return undefined;
  }

  /** Reads the objects of a list; anything else is a problem. */
  #each(part: Members, name: 'legs' | 'members', read: (part: Members, index: number) => void): void {
    const list = part[name];
    if (!Array.isArray(list)) return this.#place.complain(name, 'a list', list);
    for (let index = 0; index < list.length; index += 1) {
      const item: unknown = list[index];
      if (isObject(item)) read(item, index);
      else this.#place.problem(`${name}[${index}] must be an object, it is ${describe(item)}`);
    }
  }
}

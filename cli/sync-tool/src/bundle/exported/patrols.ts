import { describe, type FileFindings, quote } from '../findings.ts';
import { isObject, type Members, parseLine } from '../json/parse-line.ts';
import type { Usage } from '../model.ts';
import { AttributeValues } from '../patrols/attribute-values.ts';
import { type RequirementCollector, type RequirementKind, spanFault } from '../patrols/requirements.ts';
import type { KnownRecords, References, RequirementSources } from '../patrols/usage-reader.ts';
import { canonicalUuid } from '../values.ts';
import { isWide, markBytes, wideProblem } from '../files/read-lines.ts';
import { DocumentFault, type ListLevel, NestedLists } from './nested-lists.ts';

const patrolMembers = ['patrol_type', 'station_uuid', 'team_uuid'] as const;
const legMembers = ['transport_uuid', 'mandate_uuid', 'members'] as const;

const noMembers: ReadonlySet<string> = new Set();

/** The lists of the document that are read for what patrols use. */
const usageLevels: readonly ListLevel[] = [
  { list: 'patrols', members: new Set<string>(patrolMembers) },
  { list: 'legs', members: new Set<string>(legMembers) },
];

const dates = ['start_date', 'end_date'] as const;

/** The same, and those that are read for what patrols need on the site. */
const requirementLevels: readonly ListLevel[] = [
  { list: 'patrols', members: new Set<string>([...patrolMembers, ...dates, 'attributes']) },
  { list: 'legs', members: new Set<string>([...legMembers, ...dates, 'placeholder_dates']) },
  { list: 'waypoints', members: noMembers },
  { list: 'observation_groups', members: noMembers },
  { list: 'observations', members: new Set(['category_hkey']) },
];
const [waypointLevel, observationLevel] = [2, 4];

const textIn = (object: Members, name: string): string | null => {
  const value = object[name];
  return typeof value === 'string' ? value : null;
};

const spanOf = (object: Members) => ({ start: textIn(object, 'start_date'), end: textIn(object, 'end_date') });

/** What patrols use, the employees among it that are not listed, and the number of legs. */
export interface ExportedUsage {
  readonly usage: Usage;
  readonly unlisted: ReadonlySet<string>;
  readonly legs: number;
}

/**
 * Streams `patrols.json` and keeps which records the patrols use. Days, and waypoints unless somebody asks what patrols need, are not looked
 * at: they are nearly all of the document (contract of the exported bundle, 6).
 */
export class ExportedPatrols {
  readonly #known: KnownRecords;
  readonly #at: FileFindings;
  readonly #lists: NestedLists;
  readonly #teams = new Map<string, number>();
  /** Members that the employees lack; they become subjects too. */
  readonly #unlisted = new Set<string>();
  #legs: (Members | null)[] = [];
  #patrolCount = 0;
  #legCount = 0;
  #hasList = false;
  #isBegun = false;
  readonly #collector: RequirementCollector | undefined;
  readonly #values: AttributeValues | undefined;
  /** Observations of the current waypoint so far. */
  #observations = 0;

  /** @param requirements where to collect what the patrols need; undefined when nobody asks */
  constructor(known: KnownRecords, at: FileFindings, requirements?: RequirementSources) {
    this.#known = known;
    this.#at = at;
    at.list = 'patrols';
    at.line = 0;
    this.#collector = requirements?.collector;
    this.#values = requirements && new AttributeValues(requirements.attributes, requirements.collector);
    const levels = requirements === undefined ? usageLevels : requirementLevels;
    this.#lists = new NestedLists(levels, (level, json) => this.#take(level, json));
  }

  /** Reads the next piece of the file. */
  take(piece: Buffer): void {
    if (!this.#isBegun && isWide(piece)) throw new DocumentFault(wideProblem);
    this.#lists.take(this.#isBegun ? piece : piece.subarray(markBytes(piece)));
    this.#isBegun = true;
  }

  /** Ends the file. */
  finish(): ExportedUsage {
    this.#at.list = '';
    this.#lists.finish();
    if (!this.#hasList) this.#at.problem('patrols must be a list');
    const { stations, transports, mandates, employees } = this.#known;
    const usage = {
      patrols: this.#patrolCount,
      stations: stations.used(),
      transports: transports.used(),
      mandates: mandates.used(),
      members: new Set([...employees.used(), ...this.#unlisted]),
      teams: this.#teams,
    };
    return { usage, unlisted: this.#unlisted, legs: this.#legCount };
  }

  #take(level: number, json: string): void {
    if (level >= waypointLevel) return this.#waypointPart(level, json);
    const members = parseLine(json, this.#at);
    if (level === 1) this.#legs.push(members);
    else if (level === 0) this.#patrol(members);
    else if (members !== null) this.#hasList = Array.isArray(members['patrols']);
  }

  /** Takes a waypoint or a part of one; parts come first. */
  #waypointPart(level: number, json: string): void {
    if (level === observationLevel) {
      const category = parseLine(json, this.#at)?.['category_hkey'];
      if (typeof category === 'string') this.#need('event_type', category);
      this.#observations += 1;
    } else if (level === waypointLevel) {
      if (this.#observations > 1) this.#need('collection', '');
      this.#observations = 0;
    }
  }

  #need(kind: RequirementKind, key: string | null): void {
    if (key !== null) this.#collector?.need(kind, key);
  }

  #patrol(patrol: Members | null): void {
    const legs = this.#legs;
    this.#legs = [];
    if (patrol !== null) {
      this.#require(patrol, [...patrolMembers, 'legs']);
      if (patrol['legs'] !== undefined && !Array.isArray(patrol['legs']))
        this.#at.problem(`legs must be a list, it is ${describe(patrol['legs'])}`);
      this.#class(patrol['patrol_type']);
      this.#need('station', this.#use(patrol['station_uuid'], 'station_uuid', 'station', this.#known.stations));
      const team = this.#uuid(patrol['team_uuid'], 'team_uuid');
      if (team !== null) this.#teams.set(team, (this.#teams.get(team) ?? 0) + 1);
      this.#need('team', team);
      this.#attributes(patrol['attributes']);
    }
    for (const [index, leg] of legs.entries())
      if (leg !== null) {
        this.#leg(leg, `legs[${index}].`);
        this.#span(leg, patrol);
      }
    this.#collector?.end(this.#at);
    this.#patrolCount += 1;
    this.#at.line += 1;
  }

  /** Looks at the values of custom attributes; what is no list of them belongs to the import. */
  #attributes(values: unknown): void {
    if (this.#values === undefined || !Array.isArray(values)) return;
    for (const each of values as unknown[]) {
      const key = isObject(each) ? each['key'] : undefined;
      if (isObject(each) && typeof key === 'string') this.#values.take(key, each['value'], this.#at);
    }
  }

  #span(leg: Members, patrol: Members | null): void {
    const isKnown = this.#collector !== undefined && patrol !== null && leg['placeholder_dates'] !== true;
    const text = isKnown ? spanFault(spanOf(leg), spanOf(patrol)) : null;
    if (text !== null) this.#collector?.fault('leg_span', text, this.#at);
  }

  #leg(leg: Members, where: string): void {
    this.#legCount += 1;
    this.#require(leg, legMembers, where);
    const { transports, mandates } = this.#known;
    this.#need('transport', this.#use(leg['transport_uuid'], `${where}transport_uuid`, 'transport', transports));
    this.#need('mandate', this.#use(leg['mandate_uuid'], `${where}mandate_uuid`, 'mandate', mandates));
    const { members } = leg;
    if (members === undefined) return;
    if (!Array.isArray(members)) return this.#at.problem(`${where}members must be a list, it is ${describe(members)}`);
    for (const [index, member] of (members as unknown[]).entries()) this.#member(member, `${where}members[${index}]`);
  }

  #member(member: unknown, where: string): void {
    if (!isObject(member)) return this.#at.problem(`${where} must be an object, it is ${describe(member)}`);
    const uuid = this.#uuid(member['employee_uuid'], `${where}.employee_uuid`);
    if (uuid === null) {
      if (member['employee_uuid'] === undefined || member['employee_uuid'] === null)
        this.#at.problem(`${where}.employee_uuid is missing`);
      return;
    }
    this.#collector?.member(uuid, member['leader'] === true);
    if (!this.#known.employees.use(uuid)) {
      this.#unlisted.add(uuid);
      this.#at.warn(
        'unlisted member',
        `${where}.employee_uuid ${uuid} names no employee of the bundle; an inactive subject is planned for it`,
      );
    }
  }

  #require(object: Members, names: readonly string[], where = ''): void {
    for (const name of names) if (object[name] === undefined) this.#at.problem(`${where}${name} is missing`);
  }

  #class(key: unknown): void {
    if (key === null || key === undefined) return;
    if (typeof key !== 'string') this.#at.problem(`patrol_type must be a text or null, it is ${describe(key)}`);
    else {
      this.#need('class', key);
      if (this.#known.classes.has(key.toLowerCase())) return;
      this.#at.warn('unknown class', `patrol_type ${quote(key)} names no class of the bundle`);
    }
  }

  /** Registers a use; returns the canonical uuid. */
  #use(value: unknown, member: string, what: string, known: References): string | null {
    if (typeof value === 'string' && known.use(value)) return value;
    const uuid = this.#uuid(value, member);
    if (uuid !== null && !known.use(uuid))
      this.#at.warn(`unknown ${what}`, `${member} ${uuid} names no ${what} of the bundle; this use is ignored`);
    return uuid;
  }

  /** The canonical uuid; null for null, and with a problem for anything else. */
  #uuid(value: unknown, member: string): string | null {
    if (value === null || value === undefined) return null;
    const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
    if (uuid === null) this.#at.problem(`${member} must be a uuid or null, it is ${describe(value)}`);
    return uuid;
  }
}

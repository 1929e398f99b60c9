import { type ImportBundle, type Leg, type Patrol, readImportBundle } from './bundle.ts';
import { callsTo, type ImportCalls, type ImportSite, type Row } from './calls.ts';
import {
  bare,
  choiceField,
  display,
  eventType,
  fieldName,
  identityNames,
  optionValue,
  slug,
  typeValues,
  unlistedTeam,
} from './names.ts';

/** What became of an import. */
export interface Import {
  /** What was looked up on the site and not found, each once. */
  readonly missing: readonly string[];
  /** Requests that the site refused. */
  readonly refused: readonly string[];
  readonly patrols: number;
  readonly events: number;
}

/** What the site has, by the names under which the importer looks it up. */
interface Found {
  readonly types: ReadonlySet<unknown>;
  /** Form fields that can be filled in. */
  readonly fields: ReadonlySet<string>;
  /** Options, as `<field> <value>`. */
  readonly options: ReadonlySet<string>;
  /** Ids of subjects by the text of the member's uuid. */
  readonly subjects: ReadonlyMap<unknown, Row>;
  /** Ids of active teams by their texts in lower case. */
  readonly teams: ReadonlyMap<string, unknown>;
  readonly eventTypes: ReadonlySet<unknown>;
}

const listTypes: ReadonlySet<string> = new Set(['LIST', 'MLIST', 'TREE']);

const fieldsOn = async (calls: ImportCalls): Promise<ReadonlySet<string>> => {
  const { data } = await calls.call('GET', 'activity/patrols/segments/types/default?include_schema=true');
  const { schema } = data as { schema?: { json: { properties: Record<string, Row> } } | null };
  const properties = Object.entries(schema?.json.properties ?? {});
  return new Set(properties.flatMap(([name, { deprecated }]) => (deprecated === true ? [] : [name])));
};

const optionsOn = async (calls: ImportCalls, { reference }: ImportBundle): Promise<ReadonlySet<string>> => {
  const lists = reference.patrol_attributes.filter(({ type }) => listTypes.has(type.trim()));
  const options = new Set<string>();
  for (const field of ['patrol_mandate', 'patrol_station', 'patrol_class', ...lists.map(choiceField)])
    for (const { value } of await calls.rows(
      `choices?model=activity.event&field=${field}&include_inactive=true&page_size=4000`,
    ))
      options.add(`${field} ${String(value)}`);
  return options;
};

const additionalOf = ({ additional }: Row): Row => (additional ?? {}) as Row;

const findOn = async (calls: ImportCalls, bundle: ImportBundle, word: string): Promise<Found> => {
  const { member } = identityNames(word);
  const config = (await calls.call('GET', 'activity/patrols/config/default')).data as Record<string, Row[]>;
  const subjects = new Map<unknown, Row>();
  for (const { id } of config['members'] ?? [])
    for (const subject of await calls.rows(`subjects?subject_group=${String(id)}&include_inactive=true`))
      subjects.set(additionalOf(subject)[member], subject);
  const teams = (config['teams'] ?? []).filter(({ is_active: isActive }) => isActive === true);
  const types = await calls.rows('activity/patrols/types?include_inactive=true');
  const query = '?include_inactive=False&include_schema=False';
  const eventTypes = await calls.rows(`/api/v2.0/activity/eventtypes${query}`);
  return {
    types: new Set(types.filter(({ is_active: isActive }) => isActive === true).map(({ value }) => value)),
    fields: await fieldsOn(calls),
    options: await optionsOn(calls, bundle),
    subjects,
    teams: new Map(
      teams.flatMap(({ id, value, display: text }) =>
        [value, text].map((name) => [String(name).trim().toLowerCase(), id] as const),
      ),
    ),
    eventTypes: new Set(eventTypes.map(({ value }) => value)),
  };
};

/** Names everything that the patrols of a bundle need, and remembers what the site has not. */
class Lookup {
  readonly missing = new Set<string>();
  readonly #bundle: ImportBundle;
  readonly #found: Found;
  readonly #word: string;
  readonly #types: ReadonlyMap<string, string>;

  constructor(bundle: ImportBundle, found: Found, word: string) {
    this.#bundle = bundle;
    this.#found = found;
    this.#word = word;
    this.#types = typeValues(bundle.reference.transports);
  }

  fields(): void {
    const core = ['objective', 'mandate', 'station', 'patrol_class', 'armed', 'comment'];
    const attributes = this.#bundle.reference.patrol_attributes.filter(({ active }) => active);
    for (const name of core.concat(attributes.map((attribute) => fieldName(this.#word, attribute))))
      this.#note(this.#found.fields.has(name), `field ${name}`);
  }

  type({ transport_uuid: uuid }: Leg): string | null {
    const value = uuid === null ? undefined : this.#types.get(uuid);
    if (value !== undefined) this.#note(this.#found.types.has(value), `type ${value}`);
    return value ?? null;
  }

  subject(uuid: string): Row | undefined {
    const subject = this.#found.subjects.get(uuid);
    this.#note(subject !== undefined, `subject ${uuid}`);
    return subject;
  }

  /** Id of a patrol's team; null without one, undefined for one that the site has not. */
  team({ team_uuid: uuid }: Patrol): unknown {
    if (uuid === null) return null;
    const { reference, manifest } = this.#bundle;
    const team = reference.teams.find((each) => each.uuid === uuid);
    const name = team ? display(team, this.#bundle, manifest.default_language, uuid) : unlistedTeam(this.#word, uuid);
    const id = this.#found.teams.get(name.trim().toLowerCase());
    this.#note(id !== undefined, `team ${name}`);
    return id;
  }

  eventType(path: string): string | undefined {
    const value = eventType(this.#word, path);
    const isThere = this.#found.eventTypes.has(value);
    this.#note(isThere, `event type ${value}`);
    return isThere ? value : undefined;
  }

  /** The answers of a leg, by field. */
  details(patrol: Patrol, leg: Leg): Row {
    const { reference } = this.#bundle;
    const mandate = reference.mandates.find(({ uuid }) => uuid === leg.mandate_uuid);
    const answers = patrol.attributes.flatMap(({ key, value }) => {
      const attribute = reference.patrol_attributes.find((each) => each.key === key);
      if (attribute === undefined) return [];
      const isChosen = listTypes.has(attribute.type.trim()) && typeof value === 'string';
      const answer = isChosen ? this.#option(choiceField(attribute), slug(value)) : value;
      return [[fieldName(this.#word, attribute), answer] as const];
    });
    return {
      objective: patrol.objective,
      mandate: mandate && this.#option('patrol_mandate', optionValue(mandate)),
      station: patrol.station_uuid && this.#option('patrol_station', bare(patrol.station_uuid)),
      patrol_class: patrol.patrol_type && this.#option('patrol_class', patrol.patrol_type.toLowerCase()),
      armed: patrol.armed,
      comment: patrol.comment,
      [`${this.#word}_`]: leg.uuid,
      ...Object.fromEntries(answers),
    };
  }

  #option(field: string, value: string): string {
    this.#note(this.#found.options.has(`${field} ${value}`), `option ${field} ${value}`);
    return value;
  }

  #note(isFound: boolean, name: string): void {
    if (!isFound) this.missing.add(name);
  }
}

/** The segment of a leg; undefined when a member is missing. */
const segmentOf = (lookup: Lookup, patrol: Patrol, leg: Leg, team: unknown): Row | undefined => {
  const people = leg.members.map((member) => ({ ...member, subject: lookup.subject(member.employee_uuid) }));
  const leader = people.find((member) => member.leader)?.subject;
  const segment = {
    id: leg.uuid,
    patrol_type: lookup.type(leg),
    time_range: { start_time: leg.days[0]?.start ?? null, end_time: leg.days.at(-1)?.end ?? null },
    leader: leader ? { content_type: 'observations.subject', id: leader['id'] } : null,
    members: [...new Set(people.map(({ subject }) => subject?.['id']))],
    team,
    segment_details: lookup.details(patrol, leg),
  };
  return people.every(({ subject }) => subject !== undefined) ? segment : undefined;
};

const eventsOf = (lookup: Lookup, { legs }: Patrol, word: string): readonly Row[] =>
  legs.flatMap((leg) =>
    leg.waypoints.flatMap(({ time, location, observation_groups: groups }) =>
      groups.flatMap(({ observations }) =>
        observations.flatMap(({ uuid: id, category_hkey: path, attributes }): Row[] => {
          const event_type = lookup.eventType(path);
          if (event_type === undefined) return [];
          const details = Object.fromEntries(attributes.map(({ key, value }) => [slug(key), value]));
          const [longitude, latitude] = location ?? [];
          return [
            {
              id,
              event_type,
              ...(time === null ? {} : { time }),
              location: location && { longitude, latitude },
              event_details: { ...details, [`${word}_`]: id },
              patrol_segments: [leg.uuid],
            },
          ];
        }),
      ),
    ),
  );

const eventsInList = 20;

/**
 * Makes the requests of the importer's next commands: looks up what the patrols of a bundle need by the names that it computes, then writes
 * the patrols with their segments and events (contract of the site, additions, 7). Patrols of a missing member or team are left out, as it does.
 * Retired members are active while it runs.
 */
export const rehearseImport = async (site: ImportSite, folder: string, word: string): Promise<Import> => {
  const calls = callsTo(site);
  const bundle = await readImportBundle(folder);
  const lookup = new Lookup(bundle, await findOn(calls, bundle, word), word);
  const refused: string[] = [];
  const send = async (method: string, path: string, body: unknown): Promise<boolean> => {
    const { status, data } = await calls.call(method, path, body);
    if (status >= 300) refused.push(`${method} ${path}: ${status} ${JSON.stringify(data)}`);
    return status < 300;
  };
  lookup.fields();
  const members = new Set(
    bundle.patrols.flatMap(({ legs }) => legs.flatMap((leg) => leg.members.map((member) => member.employee_uuid))),
  );
  const retired = [...members].flatMap((uuid): Row[] => {
    const subject = lookup.subject(uuid);
    return subject && subject['is_active'] !== true ? [subject] : [];
  });
  for (const { id } of retired) await send('PATCH', `subject/${String(id)}`, { is_active: true });
  const count = { patrols: 0, events: 0 };
  for (const patrol of bundle.patrols) {
    const team = lookup.team(patrol);
    const segments = patrol.legs.map((leg) => segmentOf(lookup, patrol, leg, team));
    if (team === undefined || segments.some((segment) => segment === undefined)) continue;
    const path = `activity/patrols/${patrol.uuid}`;
    const body = { id: patrol.uuid, title: patrol.id, priority: 0, patrol_segments: segments };
    const isThere = (await calls.call('GET', path)).status === 200;
    if (!(await send(isThere ? 'PATCH' : 'POST', isThere ? path : 'activity/patrols', body))) continue;
    count.patrols += 1;
    const events = isThere ? [] : eventsOf(lookup, patrol, word);
    for (let from = 0; from < events.length; from += eventsInList) {
      const list = events.slice(from, from + eventsInList);
      if (await send('POST', 'activity/events', list)) count.events += list.length;
    }
  }
  for (const { id } of retired) await send('PATCH', `subject/${String(id)}`, { is_active: false });
  return { missing: [...lookup.missing], refused, ...count };
};

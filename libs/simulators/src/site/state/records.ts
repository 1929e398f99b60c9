/** A patrol type as the site keeps it (site contract, section 3). */
export interface PatrolType {
  readonly id: string;
  readonly value: string;
  readonly display: string;
  readonly ordernum: number | null;
  readonly icon: string | null;
  readonly icon_id: string | null;
  readonly default_priority: number;
  /** The form of the type alone; always null here. */
  readonly schema?: unknown;
  readonly is_active: boolean;
}

/** A segment of a patrol. It names the id of its type, or null once that type is gone. */
export interface Segment {
  readonly id: string;
  readonly patrol_type: string | null;
  readonly [name: string]: unknown;
}

/** A patrol. */
export interface Patrol {
  readonly id: string;
  readonly patrol_segments: readonly Segment[];
  readonly [name: string]: unknown;
}

/** One option of a choice field (section 4). Unique on model, field and value. */
export interface Choice {
  readonly id: string;
  readonly model: string;
  readonly field: string;
  readonly value: string;
  readonly display: string;
  readonly ordernum: number | null;
  readonly icon: string | null;
  readonly is_active: boolean;
}

/** A subject (section 6). */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly subject_type: string;
  readonly subject_subtype: string;
  readonly is_active: boolean;
  readonly additional: Readonly<Record<string, unknown>>;
}

/** A subject group (section 7); nested under `parent`. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  /** Listed only with `include_hidden=true`. */
  readonly hidden: boolean;
  /** Ids of its direct members. */
  readonly subjects: readonly string[];
}

/** A team of the patrol configuration (section 8). */
export interface Team {
  readonly id: string;
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
}

/** Permissions (section 8), with a token or a password. */
export interface Token {
  readonly id: string;
  /** Never ends, unless it is deleted. */
  readonly token: string;
  readonly username: string;
  /** Null for a user who cannot ask for tokens. */
  readonly password: string | null;
  readonly first_name: string;
  readonly last_name: string;
  readonly is_active: boolean;
  /** Has every permission that was not revoked, and sees every subject and group. */
  readonly is_superuser: boolean;
  readonly permissions: readonly string[];
  /** Taken away, from a superuser too. */
  readonly revoked: readonly string[];
  /** Ids of the groups it may view, with their subgroups. */
  readonly groups: readonly string[];
  /** Actions by what they are on, as `{"event": ["view"]}`; only shown. */
  readonly actions?: Readonly<Record<string, readonly string[]>>;
}

/** A category of event types. */
export interface Category {
  readonly id: string;
  readonly value: string;
  readonly display: string;
}

/** A type of events; `category` is the value of its category. */
export interface EventType extends Category {
  readonly category: string;
  /** Default: it is. */
  readonly is_active?: boolean;
  /** Whether its events hold other events; default: not. */
  readonly is_collection?: boolean;
  readonly schema?: unknown;
}

/** An event. Notes and files are shown only to those who ask for them. */
export interface Event {
  readonly id: string;
  readonly serial_number: number;
  readonly event_type: string;
  readonly event_category?: string;
  readonly title: string | null;
  readonly time: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: string;
  readonly priority: number;
  readonly location: { readonly longitude: number; readonly latitude: number } | null;
  readonly geojson?: unknown;
  readonly event_details?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly { readonly id: string; readonly text: string; readonly [name: string]: unknown }[];
  readonly files?: readonly { readonly id: string; readonly url: string; readonly [name: string]: unknown }[];
  readonly [name: string]: unknown;
}

/** Who makes sources known to the site, unique on `provider_key`. */
export interface SourceProvider {
  readonly id: string;
  readonly provider_key: string;
  readonly display_name: string;
  readonly additional: Readonly<Record<string, unknown>>;
}

/** A device. */
export interface Source {
  readonly id: string;
  readonly manufacturer_id: string | null;
  /** Key of its provider. */
  readonly provider?: string;
  readonly [name: string]: unknown;
}

/** Which subject wore a source, and when: from `lower` to before `upper`. */
export interface SubjectSource {
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly assigned_range: { readonly lower: string | null; readonly upper: string | null };
}

/** A fix of a source. */
export interface Observation {
  readonly id: string;
  readonly recorded_at: string;
  readonly source: string;
  readonly location: unknown;
  readonly [name: string]: unknown;
}

/** A file of an event. */
export interface SiteFile {
  /** Its path. */
  readonly id: string;
  readonly base64: string;
}

/** Records by table. Types of the old kind name their category whole, those of the new kind by its value. */
export interface Tables {
  readonly types: PatrolType;
  readonly patrols: Patrol;
  readonly choices: Choice;
  readonly subjects: Subject;
  readonly groups: Group;
  readonly teams: Team;
  readonly tokens: Token;
  readonly categories: Category;
  readonly eventTypes: EventType;
  readonly newEventTypes: EventType;
  readonly events: Event;
  readonly sourceProviders: SourceProvider;
  readonly sources: Source;
  readonly subjectSources: SubjectSource;
  readonly observations: Observation;
  readonly files: SiteFile;
}

/** Name of a table. */
export type TableName = keyof Tables;

/** Tables that the sync reads and writes, in the order in which they are shown. */
const syncTables = ['types', 'patrols', 'choices', 'subjects', 'groups', 'teams', 'tokens'] as const;

/** Tables that are pulled from alone. */
export const pulledTables = [
  'categories',
  'eventTypes',
  'newEventTypes',
  'events',
  'sourceProviders',
  'sources',
  'subjectSources',
  'observations',
  'files',
] as const;

/** All tables. */
export const tableNames = [...syncTables, ...pulledTables] as const;

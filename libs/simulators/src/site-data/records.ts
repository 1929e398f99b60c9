/** Who may log in, by a token of theirs or by a password. */
export interface User {
  readonly username: string;
  readonly password: string;
  /** A token that never ends, unless it is revoked. */
  readonly token: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  /** Actions by what they are on, as `{"event": ["view"]}`. */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
}

/** A category of event types. */
export interface Category {
  readonly id: string;
  readonly value: string;
  readonly display: string;
}

/** A type of events; `category` is the value of its category. */
export interface EventType {
  readonly id: string;
  readonly value: string;
  readonly display: string;
  readonly category: string;
}

/** An event. Notes and files are shown only to who asks for them. */
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

/** A group of subjects; groups nest. */
export interface SubjectGroup {
  readonly id: string;
  readonly name: string;
  /** Shown only with `include_hidden=true`. */
  readonly hidden?: boolean;
  readonly subjects: readonly string[];
  readonly subgroups?: readonly SubjectGroup[];
}

/** Somebody or something that wears sources. */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly subject_type: string;
}

/** A device. */
export interface Source {
  readonly id: string;
  readonly manufacturer_id: string | null;
}

/** Which subject wore a source, and when: from `lower` to before `upper`. */
export interface SubjectSource {
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

/** Observations that are made up as they are read: spread evenly over a time and, in turn, over all sources of the site. */
export interface Volume {
  readonly count: number;
  /** ISO; the first one is recorded then, the last before `end`. */
  readonly start: string;
  readonly end: string;
  /** Each so-manieth comes to the site so many seconds late. */
  readonly late?: { readonly every: number; readonly by_s: number };
}

/** Everything that a site holds for those who pull. */
export interface SiteData {
  readonly users: readonly User[];
  readonly categories: readonly Category[];
  /** Types of the old kind, which name their category whole. */
  readonly eventTypes: readonly EventType[];
  /** Types of the new kind, which name it by its value. */
  readonly newEventTypes: readonly EventType[];
  readonly events: readonly Event[];
  readonly groups: readonly SubjectGroup[];
  readonly subjects: readonly Subject[];
  readonly sources: readonly Source[];
  readonly subjectSources: readonly SubjectSource[];
  readonly observations: readonly Observation[];
  readonly volume: Volume | null;
  /** Bytes by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A site with one user and nothing else. */
export const emptyData: SiteData = {
  users: [
    {
      username: 'ranger',
      password: 'ranger-password',
      token: 'data-token',
      first_name: 'Asha',
      last_name: 'Mwangi',
      is_active: true,
      is_superuser: false,
      permissions: { event: ['view'], observation: ['view'] },
    },
  ],
  categories: [],
  eventTypes: [],
  newEventTypes: [],
  events: [],
  groups: [],
  subjects: [],
  sources: [],
  subjectSources: [],
  observations: [],
  volume: null,
  files: new Map(),
};

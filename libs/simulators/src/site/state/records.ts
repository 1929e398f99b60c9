/** A patrol type as the site keeps it (site contract, section 3). */
export interface PatrolType {
  readonly id: string;
  readonly value: string;
  readonly display: string;
  readonly ordernum: number | null;
  readonly icon: string | null;
  readonly icon_id: string | null;
  readonly default_priority: number;
  readonly is_active: boolean;
}

/** A patrol, as far as it uses types: each segment names the id of its type, or null once that type is gone. */
export interface Patrol {
  readonly id: string;
  readonly patrol_segments: readonly { readonly id: string; readonly patrol_type: string | null }[];
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

/** Who may do what (section 8). */
export interface Token {
  readonly id: string;
  readonly token: string;
  readonly username: string;
  /** Has every permission that was not revoked, and sees every subject and group. */
  readonly is_superuser: boolean;
  readonly permissions: readonly string[];
  /** Taken away, from a superuser too. */
  readonly revoked: readonly string[];
  /** Ids of the groups it may view, with their subgroups. */
  readonly groups: readonly string[];
}

/** Records by table. */
export interface Tables {
  readonly types: PatrolType;
  readonly patrols: Patrol;
  readonly choices: Choice;
  readonly subjects: Subject;
  readonly groups: Group;
  readonly tokens: Token;
}

/** Name of a table. */
export type TableName = keyof Tables;

/** All tables, in the order in which they are shown. */
export const tableNames = ['types', 'patrols', 'choices', 'subjects', 'groups', 'tokens'] as const;

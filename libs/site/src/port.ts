import type { SubjectIdentity } from './records/identity.ts';
/** The site's data, as far as the sync reads and writes it (site contract). Members that the contract does not name are ignored. */

/** A patrol type. */
export interface PatrolType {
  readonly id: string;
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
  /** Key of its icon, null when it has none; absent where the site does not show it. */
  readonly icon?: string | null | undefined;
  /** Set by the site and its admins alone. */
  readonly ordernum?: number | null | undefined;
  readonly default_priority?: number | null | undefined;
}

/** One option of a choice field of the model `activity.event`. */
export interface Choice {
  readonly id: string;
  readonly field: string;
  /** As the site stores it: the uuid of a station may have dashes or upper case. */
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
}

/** A subject. `additional` is complete: a patch replaces all of it. */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly subject_subtype: string;
  readonly is_active: boolean;
  readonly additional: Readonly<Record<string, unknown>>;
  /** Read from `additional`. */
  readonly identity: SubjectIdentity;
}

/** A subject group without its members, which are read separately. */
export interface SubjectGroup {
  readonly id: string;
  readonly name: string;
}

/** A team of the patrol configuration. */
export interface Team {
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
}

/** A type of events. `category` is the value of its category, whose name its permissions carry. */
export interface EventType {
  readonly value: string;
  readonly category: string;
  readonly is_active: boolean;
  /** Whether its events hold other events. */
  readonly is_collection: boolean;
}

/** The form: a JSON Schema and its UI schema. It may contain anything; the sync validates the parts that it relies on. */
export interface FormDocument {
  readonly json: Readonly<Record<string, unknown>>;
  readonly ui: Readonly<Record<string, unknown>>;
}

/** The owner of a token, as far as it affects the sync. */
export interface SiteUser {
  /** May see all data. */
  readonly isSuperuser: boolean;
  /** Permitted actions (`add`, `change`, `delete`, `view`) by model, such as `patroltype`; null when the site does not show them. */
  readonly permissions: Readonly<Record<string, readonly string[]>> | null;
  /** May see every patrol; false also when the site does not say. */
  readonly seesPatrols: boolean;
}

/** Whether patrols of a type exist; `unknown` when the site cannot tell, or the token cannot see all patrols. */
export type PatrolTypeUse = 'used' | 'unused' | 'unknown';

/** A created record, and whether the site may have created it twice: the request was retried after a lost response. */
export interface Created<T> {
  readonly record: T;
  readonly maybeTwice: boolean;
}

/** Progress of reading a long list. */
export type Progress = (done: number, total: number | null) => void;

/** A row of a list that is not as the contract says, so that it is left alone. */
export interface UnreadableRow {
  /** What the row is, with its name and id, for the operator: `subject "Collar 17" (7b0c)`. */
  readonly name: string;
  /** Names the member, never its value. */
  readonly problem: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Receives the rows that a list leaves out. */
export type OnUnreadable = (row: UnreadableRow) => void;

/** The data of a new record; the site assigns the id. */
export type NewPatrolType = Omit<PatrolType, 'id' | 'icon'>;
export type NewChoice = Omit<Choice, 'id'> & { readonly ordernum: number };
export type NewSubject = Omit<Subject, 'id' | 'identity'>;

/** The members that a patch changes. */
export type Changes<T> = { readonly [Name in Exclude<keyof T, 'id' | 'identity'>]?: T[Name] | undefined };

/**
 * A site, accessed through its REST API. Calls are retried as the contract requires. A patch receives the object as it was read
 * and when (`readAt`, monotonic ms; default now), and is not sent over a change that another writer has made since. Every failure is a RelayError:
 * `site_unauthorized` 401 · `site_forbidden` 403 · `site_refused` 400, 500 and other refusals of one record · `site_conflict` the record
 * exists already (409, or the 400 of a patrol type) · `site_changed` the object has changed since it was read · `site_not_found` 404 ·
 * `site_too_old` 405 · `site_redirected` any redirect · `site_untrusted` a certificate of an unknown authority · `site_unavailable` no
 * usable response after all attempts · `site_answer_unreadable` a response that matches no form of the contract.
 * Their `details` name `target` ("PATCH host/path"); those of `site_refused` also `status` and `reason`. `details.ambiguous` is true on any
 * of them when the site may have carried out a write. The caller reports which permission a step needs.
 */
export interface Site {
  /** Host, port and path prefix: the identity of the site in records, plans and locks. Never contains a token. */
  readonly identity: string;
  /** `https://host[:port][/prefix]`, for links to pages of the site. */
  readonly origin: string;
  /** The same site, where another word stands for the external system in the members of `additional`; the word at first is `ext`. */
  withWord(word: string): Site;
  /** Returns the owner of the token. */
  probe(): Promise<SiteUser>;
  /** Whether the preview feature `patrol_schemas` is on; needs no token. */
  patrolSchemas(): Promise<boolean>;

  /** All types, including inactive ones. */
  patrolTypes(onUnreadable?: OnUnreadable): Promise<readonly PatrolType[]>;
  /** One type by its value, active or not. */
  patrolType(value: string): Promise<PatrolType | undefined>;
  /** Fails when the site only lists types. @throws RelayError `site_too_old` */
  checkPatrolTypesWritable(): Promise<void>;
  createPatrolType(type: NewPatrolType): Promise<PatrolType>;
  /** Reads by value, or by id where the site supports only ids. */
  patchPatrolType(present: PatrolType, changes: Changes<PatrolType>, readAt?: number): Promise<void>;
  deletePatrolType(type: Pick<PatrolType, 'id' | 'value'>): Promise<void>;
  patrolTypeUse(type: Pick<PatrolType, 'id' | 'value'>): Promise<PatrolTypeUse>;

  /** Options of exactly this model and field, including inactive ones; empty for a field that is not in use yet. */
  choices(field: string, progress?: Progress, onUnreadable?: OnUnreadable): Promise<readonly Choice[]>;
  /** Returns null when the site reported success without an id, and the record cannot be found. */
  createChoice(choice: NewChoice): Promise<Choice | null>;
  patchChoice(present: Choice, changes: Changes<Choice>, readAt?: number): Promise<void>;

  /**
   * Returns the stored document; null when the site says that there is none. Never the rendered one.
   * @throws RelayError `site_answer_unreadable` when the site does not show it
   */
  form(): Promise<FormDocument | null>;
  /** Replaces the whole document. `present` is the document as it was read, or null for none. */
  writeForm(document: FormDocument, present: FormDocument | null, readAt?: number): Promise<void>;

  /** Returns all subjects that the token may see, including inactive ones, each once. */
  subjects(progress?: Progress, onUnreadable?: OnUnreadable): Promise<readonly Subject[]>;
  subjectsById(ids: readonly string[]): Promise<readonly Subject[]>;
  /** Subjects of a group, including inactive ones. */
  subjectsOfGroup(groupId: string): Promise<readonly Subject[]>;
  /** @throws RelayError `site_conflict` when the newest list of all subjects has one of the employee */
  createSubject(subject: NewSubject): Promise<Created<Subject>>;
  patchSubject(present: Omit<Subject, 'identity'>, changes: Changes<Subject>, readAt?: number): Promise<void>;
  deleteSubject(id: string): Promise<void>;

  /**
   * Finds the group of this name, including hidden and nested groups; case and surrounding spaces do not matter.
   * @throws RelayError `roster_group_ambiguous` when several groups differ only in these, and none has exactly this name
   */
  groupByName(name: string): Promise<SubjectGroup | null>;
  /** Returns the first usable member group of the patrol configuration; null when there is none. */
  firstMemberGroup(): Promise<SubjectGroup | null>;
  /** Returns all member groups of the patrol configuration with the groups nested in them; null when the site does not show them. */
  memberGroups(): Promise<readonly SubjectGroup[] | null>;
  /** Teams of the patrol configuration, active and inactive; null when the site does not show them. */
  teams(): Promise<readonly Team[] | null>;
  /** Ids of the subjects that a patrol may name, as the site resolves its configuration; null when it does not tell. */
  patrolMembers(): Promise<readonly string[] | null>;
  /** Ids of direct members, active and inactive. @throws RelayError `site_too_old` when the site lists the group and lacks this call */
  groupMembers(groupId: string): Promise<readonly string[]>;
  /** Sends at most 100 ids per call, one call at a time; adding a member again is not an error. */
  addToGroup(groupId: string, subjectIds: readonly string[]): Promise<void>;
  removeFromGroup(groupId: string, subjectIds: readonly string[]): Promise<void>;

  /** Types of events of both kinds, including inactive ones, as far as the token may see their categories. */
  eventTypes(): Promise<readonly EventType[]>;

  /** Closes idle connections. */
  close(): void;
}

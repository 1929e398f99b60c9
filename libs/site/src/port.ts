/** What the site holds, as far as the sync reads and writes it (site contract). Members that the contract does not name are passed over. */

/** A patrol type. */
export interface PatrolType {
  readonly id: string;
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
}

/** One option of a choice field of the model `activity.event`. */
export interface Choice {
  readonly id: string;
  readonly field: string;
  /** As the site has it: a station may be written with dashes or in upper case. */
  readonly value: string;
  readonly display: string;
  readonly is_active: boolean;
}

/** A subject. `additional` is whole: a patch replaces it. */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly subject_subtype: string;
  readonly is_active: boolean;
  readonly additional: Readonly<Record<string, unknown>>;
}

/** A subject group by its identity; its members are asked for alone. */
export interface SubjectGroup {
  readonly id: string;
  readonly name: string;
}

/** The form: a JSON Schema and how it is shown. Anything may stand in it; what the sync relies on it checks itself. */
export interface FormDocument {
  readonly json: Readonly<Record<string, unknown>>;
  readonly ui: Readonly<Record<string, unknown>>;
}

/** Who a token belongs to, as far as it decides what is done. */
export interface SiteUser {
  /** Sees everything that there is. */
  readonly isSuperuser: boolean;
  /** Sees every patrol; false also when the site does not say. */
  readonly seesPatrols: boolean;
}

/** Whether patrols of a type exist; `unknown` when the site cannot say, or not all patrols are shown to the token. */
export type PatrolTypeUse = 'used' | 'unused' | 'unknown';

/** A subject that was made, and whether the site may make it once more: an answer was lost, and it was sent again. */
export interface CreatedSubject {
  readonly record: Subject;
  readonly maybeTwice: boolean;
}

/** How much of a long list has been read. */
export type Progress = (done: number, total: number | null) => void;

/** What is sent for a new record; the site gives the id. */
export type NewPatrolType = Omit<PatrolType, 'id'>;
export type NewChoice = Omit<Choice, 'id'> & { readonly ordernum: number };
export type NewSubject = Omit<Subject, 'id'>;

/** Members that a patch changes. */
export type Changes<T> = { readonly [Name in Exclude<keyof T, 'id'>]?: T[Name] | undefined };

/**
 * A site behind its REST interface. Calls are repeated as the contract says; a patch gets the object as it was read, and is not repeated over
 * what somebody else has changed since. Every failure is a RelayError:
 * `site_unauthorized` 401 · `site_forbidden` 403 · `site_refused` 400, 500 and other refusals of one record · `site_conflict` the record
 * exists already (409, or the 400 of a patrol type) · `site_changed` the object is no longer as it was read · `site_not_found` 404 · `site_too_old` 405 · `site_redirected` any redirect ·
 * `site_untrusted` a certificate of an unknown authority · `site_unavailable` gave no usable answer after all tries ·
 * `site_answer_unreadable` an answer that no form of the contract explains.
 * Their `details` name `target` ("PATCH host/path"), those of `site_refused` also `status` and `reason`. `details.ambiguous` is true on any
 * of them when a write may have been carried out. Which permission a step needs is for the caller to say.
 */
export interface Site {
  /** Host, port and path prefix: what records, plans and locks know the site by. Never with a token. */
  readonly identity: string;
  /** `https://host[:port][/prefix]`, for links to pages of the site. */
  readonly origin: string;
  /** Asks who the token belongs to. */
  probe(): Promise<SiteUser>;
  /** The preview feature `patrol_schemas`; needs no token. */
  patrolSchemas(): Promise<boolean>;

  patrolTypes(): Promise<readonly PatrolType[]>;
  createPatrolType(type: NewPatrolType): Promise<PatrolType>;
  /** By value, and by id where the site knows only ids. */
  patchPatrolType(present: PatrolType, changes: Changes<PatrolType>): Promise<void>;
  deletePatrolType(type: Pick<PatrolType, 'id' | 'value'>): Promise<void>;
  patrolTypeUse(type: Pick<PatrolType, 'id' | 'value'>): Promise<PatrolTypeUse>;

  /** Options of one field, inactive ones too, of exactly this model and field; empty for a field nobody has used yet. */
  choices(field: string, progress?: Progress): Promise<readonly Choice[]>;
  /** Null when the site said that it created it and gave no id, and it cannot be found. */
  createChoice(choice: NewChoice): Promise<Choice | null>;
  patchChoice(present: Choice, changes: Changes<Choice>): Promise<void>;

  /** The stored document; null when there is none. Never the rendered one. */
  form(): Promise<FormDocument | null>;
  /** Replaces the whole document. `present` is the one that was read, null for none. */
  writeForm(document: FormDocument, present: FormDocument | null): Promise<void>;

  /** All subjects that the token may see, inactive ones too, each once. */
  subjects(progress?: Progress): Promise<readonly Subject[]>;
  subjectsById(ids: readonly string[]): Promise<readonly Subject[]>;
  createSubject(subject: NewSubject): Promise<CreatedSubject>;
  patchSubject(present: Subject, changes: Changes<Subject>): Promise<void>;
  deleteSubject(id: string): Promise<void>;

  /** The group of exactly this name, hidden and nested ones too. */
  groupByName(name: string): Promise<SubjectGroup | null>;
  /** The first member group of the patrol configuration that can be used; null when there is none. */
  firstMemberGroup(): Promise<SubjectGroup | null>;
  /** Ids of direct members, active and inactive. */
  groupMembers(groupId: string): Promise<readonly string[]>;
  /** Sent by at most 100 ids, one after the other; adding a member again is no error. */
  addToGroup(groupId: string, subjectIds: readonly string[]): Promise<void>;
  removeFromGroup(groupId: string, subjectIds: readonly string[]): Promise<void>;

  /** Closes idle connections. */
  close(): void;
}

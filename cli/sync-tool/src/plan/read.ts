import type { RelayError } from '@ranger-relay/errors';
import type { Choice, FormDocument, PatrolType, SiteUser, Subject, SubjectGroup } from '@ranger-relay/site';

/** What was read for one step, or why it could not be. */
export type Read<T> = { readonly value: T } | { readonly failure: RelayError };

/** The roster group with its members; null when the site has none that can be used. */
export type Roster = { readonly group: SubjectGroup; readonly members: ReadonlySet<string> } | null;

/** What the site has, as far as a run is about it. A step whose reading failed is planned by nobody; the others are. */
export interface SiteState {
  /** Who the token belongs to. */
  readonly user: SiteUser;
  readonly patrolSchemas: boolean;
  readonly types: Read<readonly PatrolType[]>;
  /** The stored form; not asked for while the feature is off. */
  readonly form: Read<FormDocument | null>;
  /** Options by field. */
  readonly choices: Read<ReadonlyMap<string, readonly Choice[]>>;
  readonly subjects: Read<readonly Subject[]>;
  readonly roster: Read<Roster>;
}

import type { RecordedChange, UndoneEntry } from '@ranger-relay/contracts';
import type { FormDocument, Site } from '@ranger-relay/site';
import { nameOfDefinition } from '../apply/name.ts';
import { choiceKey } from '../plan/choices.ts';
import type { Fresh } from '../run/fresh.ts';
import type { OtherArea } from '../run/known-records.ts';

/** What undoing an entry works with. */
export interface UndoParts {
  readonly site: Site;
  readonly fresh: Fresh;
  /** Kinds of entries that are undone although somebody has changed them since. */
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
  /** What other areas count on stays as it is. */
  readonly others: readonly OtherArea[];
  /** Nothing is sent; everything is compared. */
  readonly dryRun: boolean;
  /** The document that a run replaced. */
  readonly formBefore: (file: string) => Promise<FormDocument>;
}

/** What became of an entry. */
export type Undone = Pick<UndoneEntry, 'outcome' | 'reason'>;

/** An entry of one kind. */
export type EntryOf<Kind extends RecordedChange['kind']> = Extract<RecordedChange, { kind: Kind }>;

export const undone = (reason: string | null = null): Undone => ({ outcome: 'undone', reason });
export const left = (reason: string): Undone => ({ outcome: 'left', reason });

/** Somebody has changed the object since the run. */
export const changedSince = left('it is no longer what the run wrote; pass --force to undo it all the same');

/** Tells objects apart: entries of one object have the same text. */
export const objectOf = (change: RecordedChange): string => {
  switch (change.kind) {
    case 'patrol_type':
      return `patrol_type ${change.value}`;
    case 'choice':
      return `choice ${change.field} ${choiceKey(change.field, change.value)}`;
    case 'subject':
      return `subject ${change.member ?? change.id}`;
    case 'universal_patrol_fields':
    case 'roster':
      return change.kind;
  }
};

/** Names the object of an entry for people. */
export const nameOf = (change: RecordedChange): string => {
  switch (change.kind) {
    case 'subject':
      return `subject ${typeof change.written['name'] === 'string' ? change.written['name'] : change.id}`;
    case 'roster':
      return `${change.subject_ids.length} members of group ${change.group_id}`;
    default:
      return nameOfDefinition(change);
  }
};

/** The first of the other areas whose needs have something, by the code that people know it by. */
export const areaThat = (
  others: readonly OtherArea[],
  has: (needs: OtherArea['needs']) => boolean,
): string | undefined => others.find(({ needs }) => has(needs))?.id;

/** What an entry comes to that another area counts on. */
export const neededBy = (area: string): Undone => left(`area ${area} needs it`);

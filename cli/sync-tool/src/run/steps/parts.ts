import type { PlannedChange } from '@ranger-relay/contracts';
import type { FormDocument, Site, Subject } from '@ranger-relay/site';
import type { Fresh } from '../fresh.ts';
import type { Writes } from '../writes.ts';

/** A change of one kind. */
export type ChangeOf<Kind extends PlannedChange['kind']> = Extract<PlannedChange, { kind: Kind }>;

/** How a plan is followed when the site is no longer as the plan saw it. */
export interface Course {
  /** Somebody approved exactly this plan: what differs from it ends the run with `plan_outdated`. */
  readonly approved: boolean;
  /** What is due of a change of the form, as the form is now; undefined: nothing. @throws RelayError */
  form(change: ChangeOf<'universal_patrol_fields'>, stored: FormDocument | null): FormChange | undefined;
  /** What is due once it was written: something when another writer has put a form without ours in its place. @throws RelayError */
  formAfter(change: FormChange, stored: FormDocument | null): FormChange | undefined;
  /** What is due of the subjects, as they are now. @throws RelayError */
  subjects(changes: readonly ChangeOf<'subject'>[], present: readonly Subject[]): DueSubjects;
}

type FormChange = ChangeOf<'universal_patrol_fields'>;

/** Changes of subjects that are due, and the subjects that are known to stand for an employee. */
export interface DueSubjects {
  readonly changes: readonly ChangeOf<'subject'>[];
  readonly byMember: ReadonlyMap<string, Subject>;
}

/** What carrying out a change works with. */
export interface StepParts {
  readonly site: Site;
  readonly fresh: Fresh;
  readonly writes: Writes;
  readonly course: Course;
  /** Subjects by uuid of their employee, as far as they are known; the run adds those that it creates. */
  readonly subjects: Map<string, string>;
  /** Employees whose subject may be made once more: an answer was lost, and it was sent again. */
  readonly maybeTwice: Set<string>;
}

/** What became of a change: done, or found done already by somebody else. */
export type Done = 'done' | 'already';

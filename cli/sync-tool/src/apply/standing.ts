import type { PlannedChange } from '@ranger-relay/contracts';
import type { Choice, FormDocument, PatrolType, Subject } from '@ranger-relay/site';
import { equalForms } from '../form/index.ts';
import { choiceKey } from '../plan/choices.ts';
import { memberOf } from '../plan/match.ts';
import { sameMembers } from '../run/same.ts';

/** What the site has of what a plan writes. */
export interface Present {
  readonly types: readonly PatrolType[];
  readonly form: FormDocument | null;
  readonly choices: ReadonlyMap<string, readonly Choice[]>;
  readonly subjects: readonly Subject[];
}

/** `due`: as the plan saw it; `already`: as the plan writes it; `outdated`: neither. */
export type PlanStanding = 'due' | 'already' | 'outdated';

type Members = Readonly<Record<string, unknown>>;

const ofCreated = (present: object | undefined, written: Members): PlanStanding => {
  if (present === undefined) return 'due';
  return sameMembers(present, written) ? 'already' : 'outdated';
};

const ofUpdated = (present: object | undefined, before: Members, written: Members): PlanStanding => {
  if (present === undefined) return 'outdated';
  if (sameMembers(present, written)) return 'already';
  return sameMembers(present, before) ? 'due' : 'outdated';
};

const ofForm = (stored: FormDocument | null, before: unknown, written: unknown): PlanStanding => {
  if (stored !== null && equalForms(stored, written as FormDocument)) return 'already';
  if (stored === null || before === null) return stored === before ? 'due' : 'outdated';
  return equalForms(stored, before as FormDocument) ? 'due' : 'outdated';
};

/** How an object that a plan writes stands to what the plan saw. The roster is only added to: it is always due. */
export const planStanding = (change: PlannedChange, present: Present): PlanStanding => {
  switch (change.kind) {
    case 'patrol_type': {
      const there = present.types.find(({ value }) => value === change.value);
      return change.action === 'created'
        ? ofCreated(there, change.written)
        : ofUpdated(there, change.before, change.written);
    }
    case 'universal_patrol_fields':
      return ofForm(present.form, change.before, change.written);
    case 'choice': {
      const { field, value } = change;
      const key = choiceKey(field, value);
      const there = present.choices.get(field)?.find((each) => choiceKey(field, each.value) === key);
      if (change.action === 'updated') return ofUpdated(there, change.before, change.written);
      const { ordernum: _, ...written } = change.written;
      return ofCreated(there, written);
    }
    case 'subject': {
      if (change.action === 'updated')
        return ofUpdated(
          present.subjects.find(({ id }) => id === change.id),
          change.before,
          change.written,
        );
      return ofCreated(
        present.subjects.find((subject) => memberOf(subject) === change.member),
        change.written,
      );
    }
    case 'roster':
      return 'due';
  }
};

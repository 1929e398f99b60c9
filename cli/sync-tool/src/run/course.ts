import type { PlannedChange, SyncOptions, SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { FormDocument } from '@ranger-relay/site';
import type { Area } from '../bundle/model.ts';
import type { Desired } from '../desired/index.ts';
import { equalForms, propertiesOf } from '../form/merge.ts';
import { subjectsByMember } from '../plan/match.ts';
import type { SubjectsBeside } from '../plan/beside.ts';
import { checkShown, planSubjects } from '../plan/subjects.ts';
import { documentOf, form as formResource, planForm } from '../resources/form.ts';
import { type ChangeOf, type Course, planOutdated } from '../resources/resource.ts';
import { compareSubject, subject as subjectResource } from '../resources/subject.ts';
import { guardDeactivations } from './tally.ts';

type FormChange = ChangeOf<'universal_patrol_fields'>;

const isForm = (change: PlannedChange): change is FormChange => change.kind === 'universal_patrol_fields';
const isSubject = (change: PlannedChange): change is ChangeOf<'subject'> => change.kind === 'subject';

const hasFields = (stored: FormDocument | null, names: readonly string[]): boolean => {
  const there = new Set(propertiesOf(stored));
  return names.every((name) => there.has(name));
};

/** The input of a run that does not need an approved plan. */
export interface FreeCourse {
  readonly desired: Desired;
  readonly area: Area;
  readonly options: SyncOptions;
  readonly beside: SubjectsBeside;
  readonly maxDeactivations: number;
}

/** A course that brings the site to the state that the bundle describes, whatever the state of the site is by then. */
export const freeCourse = ({ desired, area, options, beside, maxDeactivations }: FreeCourse): Course => {
  const merged = (stored: FormDocument | null, replace: boolean): FormChange | undefined => {
    const { changes, faultsBrought } = planForm(stored, desired.fields, replace);
    const [fault] = faultsBrought;
    if (fault) throw new RelayError('form_invalid', { details: { reason: fault.text, path: fault.path } });
    return changes.find(isForm);
  };
  const ours = desired.fields.map(({ property }) => property);
  return {
    approved: false,
    form: (_, stored) => merged(stored, options.replace_segment_schema),
    formAfter: (_, stored) => (hasFields(stored, ours) ? undefined : merged(stored, false)),
    subjects(_, present) {
      const { changes, matches } = planSubjects(present, desired.people, area, beside);
      guardDeactivations(changes, maxDeactivations);
      return { changes: changes.filter(isSubject), byMember: matches.byMember };
    },
  };
};

/** A course that writes the remaining changes of one approved plan, and nothing else. */
export const approvedCourse = (plan: SyncPlan, beside: SubjectsBeside): Course => ({
  approved: true,
  form(change, stored) {
    if (equalForms(stored, documentOf(change))) return undefined;
    if (equalForms(stored, change.before as FormDocument | null)) return change;
    throw planOutdated([formResource.name(change)]);
  },
  formAfter(change, stored) {
    if (hasFields(stored, propertiesOf(documentOf(change)))) return undefined;
    throw planOutdated([formResource.name(change)]);
  },
  subjects(changes, present) {
    const outdated: string[] = [];
    const due = changes.flatMap((change) => {
      const left = compareSubject(change, present);
      if (left !== 'outdated') return left;
      outdated.push(subjectResource.name(change));
      return [];
    });
    if (outdated.length > 0) throw planOutdated(outdated);
    const made = due.flatMap((change) => (change.action === 'created' ? [change.member] : []));
    checkShown(made, present, beside);
    return { changes: due, byMember: subjectsByMember(present) };
  },
});

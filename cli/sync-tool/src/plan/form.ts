import type { FormDocument } from '@ranger-relay/site';
import { mergeForm, type Fault, type FormField } from '../form/index.ts';
import { describeChange } from './describe-form.ts';
import type { StepPlan } from './step.ts';

/** The plan of the form step. With faults that the merge would bring in nothing may be sent. */
export interface FormPlan extends StepPlan {
  readonly faultsBrought: readonly Fault[];
  readonly faultsBefore: readonly Fault[];
}

/** Merges our fields into the stored form, or puts them in its place. */
export const planForm = (stored: FormDocument | null, fields: readonly FormField[], replace: boolean): FormPlan => {
  const { document, changed, changes, faultsBrought, faultsBefore } = mergeForm(stored, fields, { replace });
  const outlook = { others: 0, skipped: null, faultsBrought, faultsBefore };
  if (!changed) return { changes: [], unchanged: 1, ...outlook };
  const notes = changes.map((change) => describeChange(change));
  return {
    changes: [
      {
        kind: 'universal_patrol_fields',
        action: 'written',
        before: stored && { ...stored },
        written: { ...document },
        notes,
      },
    ],
    unchanged: 0,
    ...outlook,
  };
};

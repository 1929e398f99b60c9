import type { FormDocument } from '@ranger-relay/site';
import { equalForms } from '../../form/index.ts';
import type { FormPlan } from '../../plan/form.ts';
import type { ChangeOf, Done, StepParts } from './parts.ts';

/** What writing the form needs beside the site. */
export interface FormParts extends StepParts {
  /** Keeps the document that is replaced; answers the name of its file. */
  readonly keepBefore: (document: FormDocument) => Promise<string>;
  /** Plans the form again from what is there now. @throws RelayError when the plan may not change, or would bring in a fault */
  readonly again: (stored: FormDocument | null) => FormPlan;
}

type FormChange = ChangeOf<'universal_patrol_fields'>;

/** The change as it is to be sent now: planned anew when the form on the site is not the one that the plan saw. */
const current = ({ again }: FormParts, change: FormChange, stored: FormDocument | null): FormChange | undefined => {
  const seen = change.before as FormDocument | null;
  const isSame = stored === null || seen === null ? stored === seen : equalForms(stored, seen);
  if (isSame) return change;
  return again(stored).changes.find((each): each is FormChange => each.kind === 'universal_patrol_fields');
};

/** Writes the form, read once more just before: the site knows no versions. */
export const writeForm = async (parts: FormParts, change: FormChange): Promise<Done> => {
  const { site, writes, keepBefore } = parts;
  const stored = await site.form();
  const now = current(parts, change, stored);
  if (!now) return 'already';
  const { kind, action, written } = now;
  const before_file = stored === null ? null : await keepBefore(stored);
  await writes.write({ kind, action, before_file, written }, async () => {
    await site.writeForm(written as unknown as FormDocument);
    return null;
  });
  return 'done';
};

import type { FormDocument } from '@ranger-relay/site';
import { branchesOf, jsonHalvesOf } from './branches.ts';
import { openDraft, showOurSection } from './draft.ts';
import { equalJson, isMembers, member } from './json.ts';
import { kindOfJson } from './kinds.ts';
import { mergeField } from './merge-field.ts';
import type { Fault, FormChange, FormField } from './model.ts';
import { plannedForm } from './planned.ts';
import { validateForm } from './validate.ts';

/** What a merge comes to. */
export interface MergedForm {
  readonly document: FormDocument;
  /** False: the site has it already, and nothing is to be sent. */
  readonly changed: boolean;
  readonly changes: readonly FormChange[];
  /** Faults that the merge brought in, or that it cannot work with: nothing may be sent. */
  readonly faultsBrought: readonly Fault[];
  /** Faults that the stored document had before and still has. */
  readonly faultsBefore: readonly Fault[];
}

/** Whether two forms are the same; the order of members does not matter (site contract, 5.3, rule 6). */
export const equalForms = (a: FormDocument | null, b: FormDocument | null): boolean => equalJson(a, b);

/** Names of all fields of a form, those of conditional sections too. */
export const propertiesOf = (form: FormDocument | null): string[] => {
  const root = member(form?.json, 'properties');
  const groups = [root, ...branchesOf(form?.json).map(({ properties }) => properties)];
  return [...new Set(groups.flatMap((group) => (isMembers(group) ? Object.keys(group) : [])))];
};

/** All fields of a form with their kinds, as far as they are known. */
export const kindsIn = (form: FormDocument | null): Record<string, string> =>
  Object.fromEntries(
    propertiesOf(form).map((name) => [name, kindOfJson(jsonHalvesOf(form?.json, name)[0]) ?? 'unknown']),
  );

const replaceForm = (stored: FormDocument | null, fields: readonly FormField[]): MergedForm => {
  const document = plannedForm(fields);
  const changed = !equalForms(stored, document);
  const before = propertiesOf(stored);
  const ours = new Set(fields.map(({ property }) => property));
  const added = fields
    .filter(({ property }) => !before.includes(property))
    .map(({ property, title }): FormChange => ({ change: 'field-added', property, title }));
  const replaced: FormChange = { change: 'replaced', dropped: before.filter((name) => !ours.has(name)) };
  const changes = changed ? [...(stored ? [replaced] : []), ...added] : [];
  return { document, changed, changes, faultsBrought: validateForm(document), faultsBefore: [] };
};

const sameFault = (a: Fault, b: Fault): boolean => a.path === b.path && a.text === b.text;

/**
 * Brings our fields into the stored form; null: the site has none. Everything else of it stays as it is. With `replace` the result is
 * ours alone (site contract, 5.3). The stored form is not touched.
 */
export const mergeForm = (
  stored: FormDocument | null,
  fields: readonly FormField[],
  { replace }: { readonly replace: boolean },
): MergedForm => {
  if (replace) return replaceForm(stored, fields);
  const before = stored ? validateForm(stored) : [];
  const draft = openDraft(stored);
  if (draft.faults.length === 0) {
    for (const field of fields) mergeField(draft, field);
    showOurSection(draft);
  }
  if (draft.faults.length > 0) {
    const document = stored ?? draft.document;
    return { document, changed: false, changes: [], faultsBrought: draft.faults, faultsBefore: before };
  }
  const { document, changes } = draft;
  const after = validateForm(document);
  const isOld = (fault: Fault): boolean => before.some((old) => sameFault(old, fault));
  return {
    document,
    changed: !equalForms(stored, document),
    changes,
    faultsBrought: after.filter((fault) => !isOld(fault)),
    faultsBefore: after.filter(isOld),
  };
};

import { fc, testProp } from '@fast-check/ava';
import type { FormDocument } from '@ranger-relay/site';
import { equalForms, mergeForm, propertiesOf } from './merge.ts';
import { branchesOf, copyJson, jsonHalvesOf, member, type Members } from './model.ts';
import { plannedForm } from './planned.ts';
import { adminForm, usedForm } from './test/admin-form.ts';
import { ourFields } from './test/fields.ts';
import { validateForm } from './validate.ts';

const ours = new Set(ourFields.map(({ property }) => property));
const merge = (form: FormDocument | null, replace = false) =>
  mergeForm(form, ourFields, { replace, keep: new Set(), modernize: false });
const form = fc.oneof(adminForm, usedForm);

/** A form without anything that is ours, as text, so that every byte counts. */
const withoutOurs = (document: FormDocument): string => {
  const copy = structuredClone(document) as { json: Members; ui: Members };
  const groups = [copy.json['properties'], ...branchesOf(copy.json).map(({ properties }) => properties)];
  for (const group of [...groups, copy.ui['fields']] as Members[]) for (const name of ours) delete group[name];
  const sections = copy.ui['sections'] as Record<string, Record<string, Members[]>>;
  for (const section of Object.values(sections))
    for (const column of ['leftColumn', 'rightColumn'])
      section[column] = (section[column] ?? []).filter(({ name }) => !ours.has(String(name)));
  delete sections['section-ext'];
  copy.ui['order'] = (copy.ui['order'] as string[]).filter((id) => id !== 'section-ext');
  return JSON.stringify(copy);
};

testProp('the forms of these tests that are an admin’s alone are valid', [adminForm], (t, document) => {
  t.deepEqual(validateForm(document), []);
});

testProp('what is not ours stays as it is, byte for byte, and the stored form is not touched', [form], (t, stored) => {
  const before = JSON.stringify(stored);
  const { document } = merge(stored);
  t.is(withoutOurs(document), withoutOurs(stored));
  t.is(JSON.stringify(stored), before);
});

testProp('a second merge changes nothing', [form], (t, stored) => {
  const { document } = merge(stored);
  const again = merge(document);
  t.false(again.changed);
  t.deepEqual(again.changes, []);
  t.deepEqual(again.document, document);
});

testProp('merging into a valid form gives a valid form', [form], (t, stored) => {
  const { document, faultsBrought, faultsBefore } = merge(stored);
  t.deepEqual(faultsBrought, []);
  if (validateForm(stored).length === 0) t.deepEqual([validateForm(document), faultsBefore], [[], []]);
});

/** Takes `deprecated` from some fields of an admin, as forms of older sites have it; returns the form and how many lost it. */
const aged = (
  stored: FormDocument,
  chances: readonly boolean[],
): { readonly old: FormDocument; readonly lost: number } => {
  const old = copyJson(stored);
  let [at, lost] = [0, 0];
  const age = (group: unknown): void => {
    for (const [name, property] of Object.entries((group ?? {}) as Record<string, Members>)) {
      if (ours.has(name)) continue;
      age(member(property['items'], 'properties'));
      if (chances[at++ % chances.length] && delete property['deprecated']) lost += 1;
    }
  };
  for (const group of [old.json['properties'], ...branchesOf(old.json).map(({ properties }) => properties)]) age(group);
  return { old, lost };
};

testProp(
  'fields without `deprecated` keep no form from being sent: it is added to each, named, and by itself no reason to send',
  [adminForm, fc.array(fc.boolean(), { minLength: 1 })],
  (t, stored, chances) => {
    const { old, lost } = aged(stored, chances);
    const { document, repaired, faultsBrought, faultsBefore } = merge(old);
    t.is(repaired.length, lost);
    t.deepEqual([faultsBrought, faultsBefore, validateForm(document)], [[], [], []]);
    const { old: whole } = aged(document, chances);
    t.like(merge(whole), { changed: false, repaired: [], faultsBefore: [] });
  },
);

testProp('every field of ours has both halves afterwards, and a section that shows it', [form], (t, stored) => {
  const { document } = merge(stored);
  const all = [document.json['properties'], ...branchesOf(document.json).map(({ properties }) => properties)];
  const shown = JSON.stringify(document.ui['sections']);
  for (const name of ours) {
    t.true(all.some((group) => member(group, name) !== undefined));
    t.not(member(document.ui['fields'], name), undefined);
    t.true(shown.includes(`{"name":"${name}","type":"field"}`));
  }
});

testProp('a change is told exactly when there is one', [form], (t, stored) => {
  const { changed, changes, document } = merge(stored);
  t.is(changed, changes.length > 0);
  t.is(changed, !equalForms(stored, document));
});

testProp('replacing gives ours alone, whatever was there', [fc.option(form)], (t, stored) => {
  const { document, faultsBrought } = merge(stored, true);
  t.deepEqual(document, plannedForm(ourFields));
  t.deepEqual(faultsBrought, []);
  t.false(merge(document, true).changed);
  t.false(merge(document).changed);
});

testProp(
  'replacing keeps the fields that others need, with both halves and in our section; the result is valid and stays',
  [adminForm, fc.array(fc.nat({ max: 6 }))],
  (t, stored, chosen) => {
    const keep = new Set(chosen.map((n) => `admin_${n}`));
    const { document, faultsBrought } = mergeForm(stored, ourFields, { replace: true, keep, modernize: false });
    t.deepEqual([faultsBrought, validateForm(document)], [[], []]);
    const kept = propertiesOf(stored).filter((name) => keep.has(name));
    t.deepEqual(new Set(propertiesOf(document)), new Set([...ours, ...kept]));
    for (const name of kept) t.deepEqual(jsonHalvesOf(document.json, name), jsonHalvesOf(stored.json, name));
    t.false(mergeForm(document, ourFields, { replace: true, keep, modernize: false }).changed);
  },
);

testProp('forms are compared without regard to the order of members', [form], (t, stored) => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, item]) => [name, turned(item)]),
    );
  };
  t.true(equalForms(stored, turned(stored) as FormDocument));
});

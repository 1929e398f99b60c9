import { isDeepStrictEqual } from 'node:util';
import { fc, testProp } from '@fast-check/ava';
import type { FormDocument } from '@ranger-relay/site';
import { mergeForm, propertiesOf } from './merge.ts';
import { copyJson, type Members } from './model.ts';
import { emptyEnvelope } from './planned.ts';
import { adminForm, usedForm } from './test/admin-form.ts';
import { ourFields } from './test/fields.ts';
import { validateForm } from './validate.ts';
import { withdrawForm } from './withdraw.ts';

const run = (before: FormDocument, replace = false): FormDocument =>
  mergeForm(before, ourFields, { replace, keep: new Set(), modernize: false }).document;

const sorted = (names: unknown): unknown => (names as string[]).toSorted();

const before = fc.oneof(adminForm, usedForm, fc.constant(emptyEnvelope()));

/** A field that an admin adds to a section of the form, after the run. */
const withField = (form: FormDocument, name: string, required: boolean): FormDocument => {
  const copy = copyJson(form) as { json: Record<string, Members>; ui: Record<string, Members> };
  const { json, ui } = copy;
  (json['properties'] as Members)[name] = { type: 'boolean', title: 'Added', deprecated: false };
  (ui['fields'] as Members)[name] = { type: 'BOOLEAN', parent: 'section-new' };
  const item = { name, type: 'field' };
  (ui['sections'] as Members)['section-new'] = { columns: 1, isActive: true, leftColumn: [item], rightColumn: [] };
  (ui['order'] as unknown as string[]).push('section-new');
  if (required) (json['required'] as unknown as string[]).push(name);
  return copy;
};

testProp('of a form that nobody changed since, the form of before is left', [before], (t, form) => {
  const written = run(form);
  const { document, left } = withdrawForm({ before: form, written, stored: written });
  t.deepEqual(left, []);
  t.deepEqual(document, form);
});

testProp(
  'what a run put in goes and what an admin added since stays: the same as if the admin alone had changed the form',
  [before, fc.boolean()],
  (t, form, required) => {
    const written = run(form);
    const { document, left } = withdrawForm({
      before: form,
      written,
      stored: withField(written, 'added_since', required),
    });
    t.deepEqual(left, []);
    t.deepEqual(document, withField(form, 'added_since', required));
  },
);

testProp(
  'the fields of an admin that a replacing run dropped come back beside those that were added since',
  [adminForm, fc.boolean()],
  (t, form, required) => {
    const written = run(form, true);
    const stored = withField(written, 'added_since', required);
    const { document, left } = withdrawForm({ before: form, written, stored });
    t.deepEqual(left, []);
    t.deepEqual(propertiesOf(document).toSorted(), [...propertiesOf(form), 'added_since'].toSorted());
    t.deepEqual(validateForm(document), []);
    const wanted = withField(form, 'added_since', required).json;
    t.deepEqual(sorted(document.json['required']), sorted(wanted['required']));
    t.deepEqual({ ...document.json, required: [] }, { ...wanted, required: [] });
  },
);

const someOfOurs = fc.subarray(ourFields.map(({ property }) => property));

testProp(
  'a field of ours that somebody changed or made required since stays whole and is named; so does one to keep; the form stays valid',
  [adminForm, someOfOurs, someOfOurs, someOfOurs],
  (t, form, changed, required, kept) => {
    const written = run(form);
    const stored = copyJson(written);
    const properties = stored.json['properties'] as Record<string, Members>;
    for (const name of changed) properties[name] = { ...properties[name], title: 'Changed since' };
    const stillRequired = [...(written.json['required'] as string[]), ...required];
    (stored.json as Members)['required'] = stillRequired;
    const { document, left } = withdrawForm({ before: form, written, stored }, { keep: new Set(kept) });
    const staying = [...new Set([...changed, ...required, ...kept])];
    t.deepEqual(left.toSorted(), staying.toSorted());
    t.deepEqual(propertiesOf(document).toSorted(), [...propertiesOf(form), ...staying].toSorted());
    t.deepEqual(validateForm(document), []);
    const there = document.json['properties'] as Members;
    for (const name of left) t.deepEqual(there[name], properties[name]);
    t.deepEqual(document.json['required'], stillRequired);
  },
);

testProp(
  'forced, a field of ours goes although somebody changed it since; what is not ours stays: the same as if the admin alone had changed the form',
  [before, someOfOurs, fc.boolean()],
  (t, form, changed, required) => {
    const written = run(form);
    const stored = copyJson(withField(written, 'added_since', required));
    const [then, was, now] = [form, written, stored].map(({ json }) => json['properties'] as Record<string, Members>);
    const ofTheRun = changed.filter((name) => now?.[name] && !isDeepStrictEqual(was?.[name], then?.[name] ?? null));
    for (const name of ofTheRun) now![name] = { ...now![name], title: 'Changed since' };
    (stored.json['required'] as string[]).push(...ofTheRun.slice(1));
    const { document, left, overridden } = withdrawForm({ before: form, written, stored }, { forced: true });
    t.deepEqual(left, []);
    t.deepEqual(overridden.toSorted(), ofTheRun.toSorted());
    t.deepEqual(document, withField(form, 'added_since', required));
  },
);

testProp(
  'fields that a run took off their sections are shown again where they stood',
  [fc.oneof(adminForm, usedForm), fc.infiniteStream(fc.boolean())],
  (t, form, chance) => {
    const written = copyJson(form) as { json: Members; ui: { sections: Record<string, Record<string, unknown[]>> } };
    for (const section of Object.values(written.ui.sections))
      for (const column of ['leftColumn', 'rightColumn'])
        section[column] = section[column]!.filter(
          (item) => (item as Members)['type'] !== 'field' || chance.next().value,
        );
    const { document } = withdrawForm({ before: form, written, stored: written });
    t.deepEqual(document, form);
  },
);

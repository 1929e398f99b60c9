import { testProp } from '@fast-check/ava';
import test from 'ava';
import { copyJson, jsonHalvesOf, member } from './model.ts';
import { modernizeForm } from './modernize.ts';
import { repairForm } from './repair.ts';
import { adminForm, usedForm } from './test/admin-form.ts';
import { formOf2025 } from './test/form-of-2025.ts';
import { validateForm } from './validate.ts';

test('a form of 2025 becomes one that the site accepts; each change is named by its place', (t) => {
  const { document, modernized } = modernizeForm(formOf2025());
  const { document: repaired } = repairForm(document);
  t.deepEqual(validateForm(repaired), []);
  t.deepEqual(
    modernized.map((each) => each.split(':')[0]),
    [
      'json',
      'json.properties.gear.items',
      'ui.fields.activity.choices',
      'ui.fields.item_name',
      'ui.fields.leader.placeholder',
    ],
  );
  const [activity] = jsonHalvesOf(document.json, 'activity');
  t.like(activity, { anyOf: [{ $ref: '/api/v2.0/schemas/choices.json?field=patrol_activity' }] });
  t.deepEqual(modernizeForm(document).modernized, []);
});

test('options that come from more than one list stay for an admin to mend', (t) => {
  const form = copyJson(formOf2025());
  const choices = member(member(member(form.ui, 'fields'), 'activity'), 'choices') as Record<string, unknown>;
  choices['existingChoiceList'] = ['one', 'two'];
  const { document, modernized } = modernizeForm(form);
  t.false(modernized.some((each) => each.includes('activity')));
  t.deepEqual(jsonHalvesOf(document.json, 'activity'), jsonHalvesOf(form.json, 'activity'));
});

for (const [name, forms] of Object.entries({ adminForm, usedForm }))
  testProp(`a form of today stays as it is (${name})`, [forms], (t, form) => {
    const before = JSON.stringify(form);
    t.deepEqual(modernizeForm(form), { document: form, modernized: [] });
    t.is(JSON.stringify(form), before);
  });

import { testProp } from '@fast-check/ava';
import test from 'ava';
import { copyJson, jsonHalvesOf, member } from './model.ts';
import { listsFor, modernizeForm, repairForm } from './modernize.ts';
import { adminForm, usedForm } from './test/admin-form.ts';
import { formOf2025 } from './test/form-of-2025.ts';
import { validateForm } from './validate.ts';

const offered = new Map([['patrol_activity', [{ value: 'routine', is_active: true }]]]);

test('a choice of 2025 refers to its list, and the options that the list does not offer are told', (t) => {
  for (const options of [new Map(), new Map([['patrol_activity', [{ value: 'routine', is_active: false }]]])]) {
    const { document, modernized, missing, lacking } = modernizeForm(formOf2025(), options);
    t.deepEqual([missing, lacking], [[{ list: 'patrol_activity', value: 'routine', title: 'Routine' }], []]);
    t.true(modernized.some((each) => each.endsWith('a reference to patrol_activity, which gets routine')));
    t.like(jsonHalvesOf(document.json, 'activity')[0], {
      anyOf: [{ $ref: '/api/v2.0/schemas/choices.json?field=patrol_activity' }],
    });
  }
  t.deepEqual(listsFor(formOf2025()), ['patrol_activity']);
});

test('a choice of 2025 whose values no list takes stays with its options; field and values are named', (t) => {
  const form = formOf2025();
  const properties = member(form.json, 'properties') as Record<string, unknown>;
  properties['activity'] = { title: 'Activity', deprecated: false, type: 'string', enum: ['by-night', 'routine'] };
  const { document, modernized, missing, lacking } = modernizeForm(form, offered);
  t.false(modernized.some((each) => each.includes('activity')));
  t.is(lacking[0]?.path, 'ui.fields.activity.choices');
  t.regex(lacking[0]?.text ?? '', /patrol_activity takes no .*: by-night\.$/);
  t.deepEqual(missing, []);
  t.deepEqual(jsonHalvesOf(document.json, 'activity'), jsonHalvesOf(form.json, 'activity'));
});

test('a form of 2025 becomes one that the site accepts; each change is named by its place', (t) => {
  const { document, modernized } = modernizeForm(formOf2025(), offered);
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
  t.deepEqual(modernizeForm(document, offered).modernized, []);
});

test('options that come from more than one list stay for an admin to mend', (t) => {
  const form = copyJson(formOf2025());
  const choices = member(member(member(form.ui, 'fields'), 'activity'), 'choices') as Record<string, unknown>;
  choices['existingChoiceList'] = ['one', 'two'];
  const { document, modernized } = modernizeForm(form, offered);
  t.false(modernized.some((each) => each.includes('activity')));
  t.deepEqual(jsonHalvesOf(document.json, 'activity'), jsonHalvesOf(form.json, 'activity'));
});

for (const [name, forms] of Object.entries({ adminForm, usedForm }))
  testProp(`a form of today stays as it is (${name})`, [forms], (t, form) => {
    const before = JSON.stringify(form);
    t.deepEqual(modernizeForm(form, new Map()), { document: form, modernized: [], missing: [], lacking: [] });
    t.is(JSON.stringify(form), before);
  });

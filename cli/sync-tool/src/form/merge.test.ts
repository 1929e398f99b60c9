import type { FormDocument } from '@ranger-relay/site';
import test from 'ava';
import { equalForms, mergeForm } from './merge.ts';
import type { FormField, Members } from './model.ts';
import { emptyEnvelope, plannedForm } from './planned.ts';
import { conditional } from './test/conditional.ts';
import { ourFields } from './test/fields.ts';

type Open = {
  json: Members & { properties: Record<string, Members> };
  ui: Members & { fields: Record<string, Members> };
};

const merge = (stored: FormDocument | null, fields: readonly FormField[] = ourFields) =>
  mergeForm(stored, fields, { replace: false, keep: new Set(), modernize: false });
const changed = (change: (form: Open) => void): FormDocument => {
  const form = structuredClone(plannedForm(ourFields)) as unknown as Open;
  change(form);
  return form;
};
const planned = plannedForm(ourFields);
const part = (form: FormDocument, half: 'json' | 'ui', group: string, name: string): unknown =>
  (form[half][group] as Members)[name];

test('without a form ours becomes the form', (t) => {
  for (const stored of [null, emptyEnvelope(), { json: {}, ui: {} }]) {
    const { document, changed: differs, changes, faultsBrought } = merge(stored);
    t.true(equalForms(document, planned));
    t.true(differs);
    t.deepEqual(faultsBrought, []);
    t.deepEqual(changes.filter(({ change }) => change === 'field-added').length, ourFields.length);
    t.true(changes.some((change) => change.change === 'section-added'));
  }
});

test('the planned form is what the site makes of each kind', (t) => {
  t.deepEqual(part(planned, 'json', 'properties', 'station'), {
    type: 'string',
    anyOf: [{ $ref: '/api/v2.0/schemas/choices.json?field=patrol_station' }],
    title: 'Station',
    description: '',
    deprecated: false,
  });
  t.deepEqual(part(planned, 'ui', 'fields', 'station'), {
    type: 'CHOICE_LIST',
    inputType: 'DROPDOWN',
    parent: 'section-ext',
  });
  t.deepEqual(part(planned, 'ui', 'sections', 'section-ext'), {
    label: '',
    columns: 1,
    isActive: true,
    leftColumn: ourFields.map(({ property }) => ({ name: property, type: 'field' })),
    rightColumn: [],
  });
  t.deepEqual(planned.ui['order'], ['section-ext']);
  t.deepEqual(planned.json['required'], []);
});

const section1 = { id: 'section-1', label: 'Patrol details' };
const sectionsOf = ({ ui }: FormDocument) =>
  Object.entries(ui['sections'] as Record<string, { label: string; leftColumn: readonly { name: string }[] }>).map(
    ([id, { label, leftColumn }]) => [id, label, leftColumn.map(({ name }) => name)],
  );
const mergeNew = (stored: FormDocument | null, fields: readonly FormField[] = ourFields) =>
  mergeForm(stored, fields, { replace: false, keep: new Set(), modernize: false, newSection: section1 });

test('a new form may have a section of another name, which a second run leaves as it is', (t) => {
  const names = ourFields.map(({ property }) => property);
  for (const stored of [null, emptyEnvelope()]) {
    const { document } = mergeNew(stored);
    t.deepEqual(sectionsOf(document), [['section-1', 'Patrol details', names]]);
    t.false(mergeNew(document).changed);
    t.false(merge(document).changed);
  }
});

const listedItem = (name = '') => ({ name, type: 'field' });

/** An admin's section with these fields. */
const adminSection = (...names: (string | undefined)[]) => ({
  label: 'Admin',
  columns: 1,
  isActive: true,
  leftColumn: names.map(listedItem),
  rightColumn: [],
});

/** The first three of our fields, in these sections. */
const inSections = (sections: Record<string, object>): FormDocument => {
  const form = structuredClone(plannedForm(ourFields.slice(0, 3))) as unknown as Open;
  return { ...form, ui: { ...form.ui, sections, order: Object.keys(sections) } };
};

test('new fields go into the section that shows most of ours, the first of several; one without ours is not touched', (t) => {
  const [first, second, third, ...rest] = ourFields.map(({ property }) => property);
  const largest = inSections({
    'section-1': adminSection(),
    'section-a': adminSection(third),
    'section-b': adminSection(first, second),
  });
  t.deepEqual(sectionsOf(mergeNew(largest).document), [
    ['section-1', 'Admin', []],
    ['section-a', 'Admin', [third]],
    ['section-b', 'Admin', [first, second, ...rest]],
  ]);
  const equal = inSections({ 'section-a': adminSection(first), 'section-b': adminSection(second) });
  t.deepEqual(sectionsOf(mergeNew(equal).document)[0], ['section-a', 'Admin', [first, ...rest]]);
  const none = {
    ...emptyEnvelope(),
    ui: { ...emptyEnvelope().ui, sections: { 'section-1': adminSection() }, order: ['section-1'] },
  };
  t.deepEqual(
    sectionsOf(mergeNew(none).document).map(([id]) => id),
    ['section-1', 'section-ext'],
  );
});

test('a retired field is deprecated where it is, and added nowhere', (t) => {
  const retired: FormField = {
    property: 'ext_old',
    title: 'Old',
    kind: 'number',
    deprecated: true,
    core: false,
    retired: true,
  };
  t.false(merge(planned, [...ourFields, retired]).changed);
  const { retired: _, ...field } = retired;
  const { document } = merge(null, [...ourFields, { ...field, title: 'As it was', deprecated: false }]);
  const merged = merge(document, [...ourFields, retired]);
  t.deepEqual(merged.changes, [{ change: 'deprecated-changed', property: 'ext_old', to: true }]);
  t.like(part(merged.document, 'json', 'properties', 'ext_old'), { title: 'As it was', deprecated: true });
});

test('what is there already changes nothing, whatever the order of its members', (t) => {
  const turned = { ui: planned.ui, json: Object.fromEntries(Object.entries(planned.json).toReversed()) };
  t.deepEqual(merge(turned).changes, []);
  t.false(merge(turned).changed);
});

test('core fields keep the title and flag of the site, others get the planned ones', (t) => {
  const stored = changed(({ json }) => {
    for (const name of ['armed', 'ext_crew'])
      Object.assign(json.properties[name] ?? {}, { title: 'Mine', deprecated: true });
  });
  const { document, changes } = merge(stored);
  t.like(part(document, 'json', 'properties', 'armed'), { title: 'Mine', deprecated: true });
  t.like(part(document, 'json', 'properties', 'ext_crew'), { title: 'Crew', deprecated: false });
  t.deepEqual(changes, [
    { change: 'title-changed', property: 'ext_crew', from: 'Mine', to: 'Crew' },
    { change: 'deprecated-changed', property: 'ext_crew', to: false },
  ]);
});

test('description, bounds, input and place of ours stay as an admin made them', (t) => {
  const stored = changed(({ json, ui }) => {
    Object.assign(json.properties['ext_crew'] ?? {}, { description: 'How many', minimum: 1, maximum: 9 });
    Object.assign(json.properties['ext_day'] ?? {}, { format: 'date-time' });
    Object.assign(ui.fields['comment'] ?? {}, { inputType: 'SHORT_TEXT', placeholder: 'Say' });
    Object.assign(ui.fields['station'] ?? {}, { inputType: 'LIST' });
  });
  t.false(merge(stored).changed);
});

test('a wrong kind is fixed and keeps what fits', (t) => {
  const stored = changed(({ json, ui }) => {
    json.properties['ext_crew'] = {
      type: 'integer',
      title: 'Old',
      deprecated: false,
      description: 'D',
      minimum: 2,
      pattern: 'x',
    };
    ui.fields['comment'] = { type: 'NUMERIC', parent: 'section-other', placeholder: 'P' };
  });
  const { document, changes } = merge(stored);
  t.deepEqual(part(document, 'json', 'properties', 'ext_crew'), {
    type: 'number',
    title: 'Crew',
    description: 'D',
    deprecated: false,
    minimum: 2,
  });
  t.deepEqual(part(document, 'ui', 'fields', 'comment'), {
    type: 'TEXT',
    inputType: 'LONG_TEXT',
    parent: 'section-other',
    placeholder: 'P',
  });
  t.deepEqual(changes, [
    { change: 'kind-fixed', property: 'comment', from: 'NUMERIC', to: 'TEXT' },
    { change: 'kind-fixed', property: 'ext_crew', from: 'unknown', to: 'number' },
    { change: 'title-changed', property: 'ext_crew', from: 'Old', to: 'Crew' },
  ]);
});

for (const [from, options] of [
  ['patrol_other', { anyOf: [{ $ref: '/api/v2.0/schemas/choices.json?field=patrol_other' }] }],
  ['a list of options', { enum: ['a'], 'x-enumExtra': { a: {} } }],
  ['a list of options', { anyOf: [{ enum: ['a'], 'x-enumExtra': {} }] }],
] as const)
  test(`the options ${JSON.stringify(options)} of a field of ours become the reference again`, (t) => {
    const stored = changed(({ json }) => {
      json.properties['station'] = { type: 'string', title: 'Post', deprecated: true, ...structuredClone(options) };
    });
    const { document, changes } = merge(stored);
    t.deepEqual(part(document, 'json', 'properties', 'station'), {
      type: 'string',
      anyOf: [{ $ref: '/api/v2.0/schemas/choices.json?field=patrol_station' }],
      title: 'Post',
      deprecated: true,
    });
    t.deepEqual(changes, [{ change: 'options-fixed', property: 'station', from, to: 'patrol_station' }]);
  });

test('a missing half is added, and the field is shown', (t) => {
  const stored = changed(({ json, ui }) => {
    delete json.properties['armed'];
    delete ui.fields['comment'];
  });
  const { document, changes } = merge(stored);
  t.true(equalForms(document, planned));
  t.deepEqual(changes, [
    { change: 'half-added', property: 'armed', half: 'json' },
    { change: 'half-added', property: 'comment', half: 'ui' },
  ]);
});

const moved = (): FormDocument =>
  changed(({ json, ui }) => {
    const armed = json.properties['armed'];
    delete json.properties['armed'];
    json['allOf'] = [conditional({ 'x-section': 'section-if', properties: { armed } })];
    ui['sections'] = {
      ...(ui['sections'] as Members),
      'section-if': { columns: 1, isActive: true, leftColumn: [{ name: 'armed', type: 'field' }], rightColumn: [] },
    };
    ui.fields['armed'] = { type: 'BOOLEAN', parent: 'section-if' };
  });

test('a field that was moved to a conditional section stays there', (t) => {
  const stored = moved() as unknown as {
    ui: { sections: Record<string, { leftColumn: Members[] }> };
  } & FormDocument;
  const home = stored.ui.sections['section-ext'];
  if (home) home.leftColumn = home.leftColumn.filter(({ name }) => name !== 'armed');
  t.false(merge(stored).changed);
});

test('halves that a conditional section lacks are added to it', (t) => {
  const lessJson = moved() as unknown as { json: { allOf: [{ then: { properties: Members } }] } } & FormDocument;
  lessJson.json.allOf[0].then.properties = {};
  lessJson.json.allOf[0].then.properties['other'] = { type: 'boolean', title: '', deprecated: false };
  const merged = merge(lessJson).document as typeof lessJson;
  t.deepEqual(Object.keys(merged.json.allOf[0].then.properties), ['other', 'armed']);
  t.is(part(merged, 'json', 'properties', 'armed'), undefined);
});

test('new fields go to the end of our section, which is put back into the order', (t) => {
  const stored = { ...plannedForm(ourFields.slice(0, 2)) };
  const { document, changes } = merge({ json: stored.json, ui: { ...stored.ui, order: [] } }, ourFields.slice(0, 3));
  t.deepEqual(document, plannedForm(ourFields.slice(0, 3)));
  t.deepEqual(changes, [
    { change: 'section-shown', section: 'section-ext' },
    { change: 'field-added', property: 'station', title: 'Station', deprecated: false },
  ]);
});

test('a field that is no longer planned stays', (t) => {
  t.false(merge(planned, ourFields.slice(0, 3)).changed);
});

test('faults that were there before are told apart from faults that the merge brings in', (t) => {
  const old = changed(({ json }) => {
    json['unknown'] = false;
    delete json.properties['armed'];
  });
  const { faultsBefore, faultsBrought } = merge(old);
  t.deepEqual(
    faultsBefore.map(({ path }) => path),
    ['json'],
  );
  t.deepEqual(faultsBrought, []);
  const long = ourFields.map((field) => ({ ...field, title: 'x'.repeat(1_001) }));
  t.is(merge(null, long).faultsBrought[0]?.path, 'json.properties.objective.title');
});

for (const [path, ui] of [
  ['ui.fields', { fields: [] }],
  ['ui.order', { order: {} }],
  ['ui.sections', { sections: 'x' }],
  ['ui.sections.section-ext.leftColumn', { sections: { 'section-ext': { leftColumn: {} } } }],
] as const)
  test(`a form that nothing can be added to at ${path} is left as it is, and that is a fault`, (t) => {
    const stored = { json: emptyEnvelope().json, ui: { ...emptyEnvelope().ui, ...ui } };
    const { document, changed: differs, faultsBrought } = merge(stored);
    t.is(document, stored);
    t.false(differs);
    t.is(faultsBrought[0]?.path, path);
  });

test('replacing tells what is gone', (t) => {
  const stored = changed(({ json }) => {
    json.properties['mine'] = { type: 'boolean', title: 'Mine', deprecated: false };
    delete json.properties['armed'];
  });
  t.deepEqual(mergeForm(stored, ourFields, { replace: true, keep: new Set(), modernize: false }).changes, [
    { change: 'replaced', dropped: ['mine'] },
    { change: 'field-added', property: 'armed', title: 'Armed', deprecated: false },
  ]);
});

test('our section that the order leaves out is shown again', (t) => {
  const stored = changed(({ ui }) => {
    ui['order'] = [];
  });
  const { document, changes } = merge(stored);
  t.deepEqual(document.ui['order'], ['section-ext']);
  t.deepEqual(changes, [{ change: 'section-shown', section: 'section-ext' }]);
});

import test from 'ava';
import type { Members } from './model.ts';
import { emptyEnvelope, plannedForm } from './planned.ts';
import { conditional } from './test/conditional.ts';
import { ourFields } from './test/fields.ts';
import { validateForm } from './validate.ts';

const ref = (text: string): Members => ({ anyOf: [{ $ref: text }] });
const about = { title: 'T', deprecated: false };
const choiceUi = { type: 'CHOICE_LIST', inputType: 'LIST', parent: 'section-ext' };

/** Faults of the planned form after something was done to it, as `path: text`. */
const faultsAfter = (change: (json: Members, ui: Members) => void): string[] => {
  const { json, ui } = structuredClone(plannedForm(ourFields)) as { json: Members; ui: Members };
  change(json, ui);
  return validateForm({ json, ui }).map(({ path, text }) => `${path}: ${text}`);
};

/** Paths of the faults of one field with these halves. */
const pathsOf = (property: unknown, field: unknown): string[] =>
  faultsAfter((json, ui) => {
    (json['properties'] as Members)['x'] = property;
    (ui['fields'] as Members)['x'] = field;
  }).map((line) => line.split(':')[0] ?? '');

test('the empty envelope and the planned form are valid', (t) => {
  t.deepEqual(validateForm(emptyEnvelope()), []);
  t.deepEqual(validateForm(plannedForm(ourFields)), []);
  t.deepEqual(validateForm(plannedForm([])), []);
});

for (const [name, break_] of Object.entries<(json: Members, ui: Members) => void>({
  'json.$schema: This must be "https://json-schema.org/draft/2020-12/schema".': (json) => {
    json['$schema'] = 'http://json-schema.org/draft-07/schema';
  },
  'json: This has a member that is not allowed: additionalProperties.': (json) => {
    json['additionalProperties'] = false;
  },
  'json.required: This is missing.': (json) => delete json['required'],
  'json.required: This names a property twice.': (json) => {
    json['required'] = ['armed', 'armed'];
  },
  'json.unevaluatedProperties: This must be false.': (json) => {
    json['unevaluatedProperties'] = true;
  },
  'ui: This has a member that is not allowed: choices.': (_, ui) => {
    ui['choices'] = {};
  },
  'ui.headers: This is missing.': (_, ui) => delete ui['headers'],
  'ui.order.1: There is no section section-none.': (_, ui) => {
    ui['order'] = ['section-ext', 'section-none'];
  },
  'ui.order: This names a section twice.': (_, ui) => {
    ui['order'] = ['section-ext', 'section-ext'];
  },
  'ui.sections.ext: This must match /^section-[a-zA-Z0-9_-]+$/.': (_, ui) => {
    Object.assign(ui['sections'] as Members, { ext: { columns: 1, isActive: true, leftColumn: [], rightColumn: [] } });
  },
  'ui.fields.armed: There is no property of this name.': (json) => delete (json['properties'] as Members)['armed'],
  'ui.headers.header-1.size: This must be "LARGE" or "MEDIUM" or "SMALL".': (_, ui) => {
    ui['headers'] = { 'header-1': { label: 'L', section: 'section-ext', size: 'HUGE' } };
  },
  'ui.sections.section-ext.columns: This must be 1 or 2.': (_, ui) => {
    ((ui['sections'] as Members)['section-ext'] as Members)['columns'] = 3;
  },
  'ui.sections.section-ext.leftColumn.0: This has a member that is not allowed: id.': (_, ui) => {
    ((ui['sections'] as Members)['section-ext'] as Members)['leftColumn'] = [{ name: 'armed', type: 'field', id: 1 }];
  },
  'json.allOf.0: x-section names no section: section-none.': (json) => {
    json['allOf'] = [conditional({ properties: {} }, { 'x-section': 'section-none' })];
  },
  'json.allOf.0.then.properties.y.type: This must be "number".': (json, ui) => {
    json['allOf'] = [conditional({ properties: { y: { ...about, type: 'integer' } } })];
    (ui['fields'] as Members)['y'] = { type: 'NUMERIC', parent: 'section-ext' };
  },
  'json.properties["a b"]: The name may hold only letters, digits, "_" and "-".': (json) => {
    (json['properties'] as Members)['a b'] = { ...about, type: 'boolean' };
  },
}))
  test(`${name}`, (t) => {
    t.deepEqual(faultsAfter(break_), [name]);
  });

const text = { type: 'TEXT', inputType: 'LONG_TEXT', parent: 'p' };
const good: Readonly<Record<string, readonly [unknown, unknown]>> = {
  text: [
    { ...about, type: 'string', format: 'uuid', pattern: 'a', default: 'b', description: '' },
    { ...text, placeholder: 'x'.repeat(32), conditionalDependents: [] },
  ],
  'text with an empty placeholder': [
    { ...about, type: 'string' },
    { ...text, placeholder: '' },
  ],
  number: [
    { ...about, type: 'number', minimum: 1, maximum: 2, default: 1 },
    { type: 'NUMERIC', parent: 'p' },
  ],
  boolean: [
    { ...about, type: 'boolean', default: false },
    { type: 'BOOLEAN', parent: 'p' },
  ],
  date: [
    { ...about, type: 'string', format: 'date-time' },
    { type: 'DATE_TIME', parent: 'p' },
  ],
  choice: [{ ...about, type: 'string', ...ref('/api/v2.0/schemas/choices.json?field=a') }, choiceUi],
  'choice of subjects': [{ ...about, type: 'string', ...ref('/api/v2.0/schemas/subjects.json') }, choiceUi],
  'resolved choice': [{ ...about, type: 'string', enum: ['a'], 'x-enumExtra': { a: {} } }, choiceUi],
  'choice of a resolved list': [{ ...about, type: 'string', anyOf: [{ enum: ['a'], 'x-enumExtra': null }] }, choiceUi],
  choices: [
    {
      ...about,
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', ...ref('/api/v2.0/schemas/choices.json?field=a') },
    },
    choiceUi,
  ],
  location: [
    { ...about, type: 'object', properties: { latitude: {}, longitude: {} } },
    { type: 'LOCATION', parent: 'p' },
  ],
  attachment: [
    { ...about, type: 'string', format: 'uri' },
    { type: 'ATTACHMENT', parent: 'p', allowableFileTypes: [] },
  ],
};

for (const [name, [property, field]] of Object.entries(good))
  test(`a ${name} as the site makes it is valid`, (t) => {
    t.deepEqual(pathsOf(property, field), []);
  });

test('keys of the fields of a collection are looked for inside of it', (t) => {
  const collection = { ...about, type: 'array', unevaluatedItems: false };
  const items = { type: 'object', properties: { child: { ...about, type: 'string' } } };
  const ui = { type: 'COLLECTION', parent: 'p', columns: 1, itemName: 'i', leftColumn: ['child'], rightColumn: [] };
  const faults = faultsAfter((json, all) => {
    (json['properties'] as Members)['list'] = { ...collection, items };
    Object.assign(all['fields'] as Members, { list: ui, 'list.child': text, 'list.other': text });
  });
  t.deepEqual(faults, ['ui.fields["list.other"]: There is no property of this name.']);
});

const bad: Readonly<Record<string, readonly [property: unknown, field: unknown, path: string]>> = {
  'a number that is an integer': [{ ...about, type: 'integer' }, { type: 'NUMERIC', parent: 'p' }, 'type'],
  'a property without a title': [{ deprecated: false, type: 'boolean' }, { type: 'BOOLEAN', parent: 'p' }, 'title'],
  'a title that is too long': [{ ...about, title: 'x'.repeat(1_001), type: 'string' }, text, 'title'],
  'an own option list': [{ ...about, type: 'string', enum: ['a'] }, choiceUi, ''],
  'a default of a choice': [
    { ...about, type: 'string', default: 'a', ...ref('/api/v2.0/schemas/choices.json?field=a') },
    choiceUi,
    '',
  ],
  'an absolute reference': [
    { ...about, type: 'string', ...ref('https://x/api/v2.0/schemas/choices.json?field=a') },
    choiceUi,
    'anyOf.0',
  ],
  'a reference to an unknown list': [
    { ...about, type: 'string', ...ref('/api/v2.0/schemas/x.json') },
    choiceUi,
    'anyOf.0',
  ],
  'a text shown as a number': [{ ...about, type: 'string' }, { type: 'NUMERIC', parent: 'p' }, 'type'],
  'no object': [true, undefined, ''],
};

for (const [name, [property, field, path]] of Object.entries(bad))
  test(`${name} is a fault`, (t) => {
    const found = faultsAfter((json, ui) => {
      (json['properties'] as Members)['x'] = property;
      if (field !== undefined) (ui['fields'] as Members)['x'] = field;
    });
    const place = path === '' ? 'json.properties.x' : `json.properties.x.${path}`;
    t.true(
      found.some((line) => line.startsWith(`${place}: `)),
      found.join('\n'),
    );
  });

const badUi: Readonly<Record<string, readonly [field: Members, path: string]>> = {
  'without a parent': [{ type: 'TEXT', inputType: 'LONG_TEXT' }, 'ui.fields.x.parent'],
  'with a long placeholder': [{ ...text, placeholder: 'x'.repeat(33) }, 'ui.fields.x.placeholder'],
  'of an unknown type': [{ type: 'MAGIC', parent: 'p' }, 'ui.fields.x.type'],
  'of an unknown input': [{ ...text, inputType: 'HUGE' }, 'ui.fields.x.inputType'],
  'with choices': [{ ...text, choices: [] }, 'ui.fields.x'],
};

for (const [name, [field, path]] of Object.entries(badUi))
  test(`a field ${name} is a fault`, (t) => {
    t.deepEqual(pathsOf({ ...about, type: 'string' }, field), [path]);
  });

test('anything may be given', (t) => {
  for (const value of [
    null,
    7,
    'x',
    [],
    {},
    { json: [], ui: null },
    { json: { allOf: [null, conditional(1)] }, ui: { fields: [] } },
  ])
    t.true(validateForm(value).length > 0, JSON.stringify(value));
  t.deepEqual(validateForm({ ...emptyEnvelope(), id: 1 }), [{ path: 'id', text: 'This is not allowed here.' }]);
});

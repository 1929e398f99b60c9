import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { objectsIn, validForms } from '../../test/form-documents.ts';
import { choiceForm, emptyForm } from '../../test/site.ts';
import { formProblem } from './check.ts';

type Json = Record<string, unknown>;

/** A copy in which the object at a path is changed. */
const changed = (document: Json, path: readonly string[], change: (object: Json) => void): Json => {
  const copy = structuredClone(document);
  change(path.reduce<Json>((inner, key) => inner[key] as Json, copy));
  return copy;
};

testProp('documents that keep to the meta-schema pass', [validForms], (t, document) => {
  t.is(formProblem(document), undefined);
});

testProp(
  'one unknown member in any object of a document is refused',
  [validForms, fc.nat(), fc.constantFrom<unknown>(true, 'text', {}, null)],
  (t, document, at, value) => {
    const paths = objectsIn(document).filter((path) => path.at(-1) !== 'x-enumExtra');
    const path = paths[at % paths.length] ?? [];
    const broken = changed(document, path, (object) => (object['no such member'] = value));
    t.regex(String(formProblem(broken)), / at \$/, path.join('.'));
  },
);

testProp(
  'leaving out a required member of the document, its json or its ui is refused',
  [validForms, fc.constantFrom('$schema', 'type', 'properties', 'required', 'unevaluatedProperties')],
  (t, document, member) => {
    t.is(typeof formProblem(changed(document, ['json'], (json) => delete json[member])), 'string');
    for (const part of ['fields', 'headers', 'order', 'sections'])
      t.is(typeof formProblem(changed(document, ['ui'], (ui) => delete ui[part])), 'string');
    for (const part of ['json', 'ui'])
      t.is(typeof formProblem(changed(document, [], (all) => delete all[part])), 'string');
  },
);

test('the empty envelope is valid', (t) => {
  t.is(formProblem(emptyForm), undefined);
});

const base = choiceForm('patrol_mandate');
const property = ['json', 'properties', 'mandate'];
const field = ['ui', 'fields', 'mandate'];
const section = ['ui', 'sections', 'section-ext'];
const set = (path: readonly string[], members: Json) => changed(base, path, (object) => Object.assign(object, members));
const replaced = (path: readonly string[], key: string, value: unknown) =>
  changed(base, path, (object) => (object[key] = value));
const withProperty = (json: Json, ui: Json) =>
  changed(
    replaced(['json', 'properties'], 'x', { title: 'X', deprecated: false, ...json }),
    ['ui', 'fields'],
    (fields) => (fields['x'] = { parent: 'section-ext', ...ui }),
  );

test('a reference to a field without options is accepted', (t) => {
  t.is(formProblem(base), undefined);
});

const refused: readonly (readonly [name: string, document: Json])[] = [
  ['additionalProperties beside unevaluatedProperties', set(['json'], { additionalProperties: false })],
  ['another draft', set(['json'], { $schema: 'http://json-schema.org/draft-07/schema#' })],
  ['unevaluatedProperties that are let in', set(['json'], { unevaluatedProperties: true })],
  ['a required name twice', set(['json'], { required: ['mandate', 'mandate'] })],
  ['a property name with a dot', replaced(['json', 'properties'], 'a.b', base.json.properties.mandate)],
  ['a title over 1000 characters', set(property, { title: 'x'.repeat(1_001) })],
  ['no title', changed(base, property, (object) => delete object['title'])],
  ['no deprecated', changed(base, property, (object) => delete object['deprecated'])],
  ['a default for a choice', set(property, { default: 'routine' })],
  ['an absolute reference', set(property, { anyOf: [{ $ref: 'https://host/api/v2.0/schemas/choices.json?field=a' }] })],
  ['a reference without field', set(property, { anyOf: [{ $ref: '/api/v2.0/schemas/choices.json' }] })],
  [
    'two references',
    set(property, { anyOf: [{ $ref: '/api/v2.0/schemas/users.json' }, { $ref: '/api/v2.0/schemas/users.json' }] }),
  ],
  ['an inline enum', withProperty({ type: 'string', enum: ['a'] }, { type: 'CHOICE_LIST', inputType: 'DROPDOWN' })],
  ['an integer', withProperty({ type: 'integer' }, { type: 'NUMERIC' })],
  [
    'a format that texts have not',
    withProperty({ type: 'string', format: 'ipv4' }, { type: 'TEXT', inputType: 'SHORT_TEXT' }),
  ],
  ['a date with a default', withProperty({ type: 'string', format: 'date', default: 'x' }, { type: 'DATE_TIME' })],
  [
    'choices that may repeat',
    withProperty(
      { type: 'array', items: { type: 'string', anyOf: [{ $ref: '/api/v2.0/schemas/users.json' }] } },
      { type: 'CHOICE_LIST', inputType: 'LIST' },
    ),
  ],
  ['a field without parent', changed(base, field, (object) => delete object['parent'])],
  ['a placeholder over 32 characters', set(field, { placeholder: 'x'.repeat(33) })],
  ['an input type that lists have not', set(field, { inputType: 'SHORT_TEXT' })],
  ['a field without property', replaced(['ui', 'fields'], 'lost', base.ui.fields.mandate)],
  [
    'a field that does not fit its property',
    replaced(['ui', 'fields'], 'mandate', { type: 'NUMERIC', parent: 'section-ext' }),
  ],
  ['a section in the order that is none', set(['ui'], { order: ['section-ext', 'section-lost'] })],
  ['a section twice in the order', set(['ui'], { order: ['section-ext', 'section-ext'] })],
  ['a section id without its prefix', set(['ui'], { order: ['ext'] })],
  ['three columns', set(section, { columns: 3 })],
  ['a column of names', set(section, { leftColumn: ['mandate'] })],
  ['a header item without its prefix', set(section, { leftColumn: [{ name: 'x', type: 'header' }] })],
  [
    'a header of another size',
    set(['ui'], { headers: { 'header-a': { label: 'A', section: 'section-ext', size: 'HUGE' } } }),
  ],
  ['an array as json', { ...base, json: [] }],
  ['null as ui', { ...base, ui: null }],
];

for (const [name, document] of refused)
  test(`is refused: ${name}`, (t) => {
    t.regex(String(formProblem(document)), / at \$/);
  });

test('the path leads to the fault', (t) => {
  t.is(formProblem(set(property, { default: 'x' })), 'unknown member "default" at $.json.properties.mandate');
});

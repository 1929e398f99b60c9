import { fc } from '@fast-check/ava';

type Json = Record<string, unknown>;

/** A field of the form: its JSON property and what shows it. */
interface Field {
  readonly json: Json;
  readonly ui: Json;
  /** Fields inside it, when it is a collection. */
  readonly children?: Readonly<Record<string, Field>>;
}

const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/).filter((name) => name !== '__proto__');
const word = fc.string({ maxLength: 12 });
const ref = fc.oneof(
  id.map((field) => `/api/v2.0/schemas/choices.json?field=${field}`),
  fc.constantFrom('/api/v2.0/schemas/users.json', '/api/v2.0/schemas/subjects.json?x=1'),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Without members that are undefined. */
const clean = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

const common = fc
  .record({ title: word, deprecated: fc.boolean(), description: optional(word) })
  .map((members) => members as Json);
const shown = fc
  .record({ parent: fc.constant('section-a'), conditionalDependents: optional(fc.array(id, { maxLength: 2 })) })
  .map((members) => members as Json);
const placeholder = optional(fc.string({ maxLength: 16 }));

const fieldOf = (json: fc.Arbitrary<Json>, ui: fc.Arbitrary<Json>): fc.Arbitrary<Field> =>
  fc.tuple(common, shown, json, ui).map(([a, b, c, d]) => ({ json: clean({ ...a, ...c }), ui: clean({ ...b, ...d }) }));

const json = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members) as fc.Arbitrary<Json>;

const text = fieldOf(
  json({
    type: fc.constant('string'),
    default: optional(word),
    format: optional(fc.constantFrom('uri', 'uuid', 'email')),
    pattern: optional(word),
  }),
  json({ type: fc.constant('TEXT'), inputType: fc.constantFrom('SHORT_TEXT', 'LONG_TEXT'), placeholder }),
);
const number = fieldOf(
  json({
    type: fc.constant('number'),
    minimum: optional(fc.integer()),
    maximum: optional(fc.integer()),
    default: optional(fc.integer()),
  }),
  json({ type: fc.constant('NUMERIC'), placeholder }),
);
const boolean = fieldOf(
  json({ type: fc.constant('boolean'), default: optional(fc.boolean()) }),
  json({ type: fc.constant('BOOLEAN') }),
);
const date = fieldOf(
  json({ type: fc.constant('string'), format: fc.constantFrom('date', 'time', 'date-time') }),
  json({ type: fc.constant('DATE_TIME') }),
);
const options = fc.oneof(
  ref.map((address): Json => ({ anyOf: [{ $ref: address }] })),
  fc.uniqueArray(word, { maxLength: 3 }).map((values): Json => ({ enum: values, 'x-enumExtra': {} })),
);
const choiceUi = json({
  type: fc.constant('CHOICE_LIST'),
  inputType: fc.constantFrom('DROPDOWN', 'LIST'),
  placeholder,
});
const choice = fieldOf(
  options.map((members) => ({ type: 'string', ...members })),
  choiceUi,
);
const choices = fieldOf(
  options.map((members) => ({ type: 'array', uniqueItems: true, items: { type: 'string', ...members } })),
  choiceUi,
);
const location = fieldOf(
  fc.constant<Json>({ type: 'object', properties: { latitude: { type: 'number' }, longitude: { type: 'number' } } }),
  json({ type: fc.constant('LOCATION') }),
);
const attachment = fieldOf(
  fc.constantFrom<Json>({ type: 'string', format: 'uri' }, { type: 'array', items: { type: 'string', format: 'uri' } }),
  json({ type: fc.constant('ATTACHMENT'), allowableFileTypes: fc.array(word, { maxLength: 2 }) }),
);

const simple = fc.oneof(text, number, boolean, date, choice, choices, location, attachment);

const propertiesOf = (fields: Readonly<Record<string, Field>>): Json =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.json]));

const collection = fc
  .tuple(common, shown, fc.dictionary(id, simple, { maxKeys: 2 }))
  .map(([a, b, children]): Field => ({
    json: clean({
      ...a,
      type: 'array',
      unevaluatedItems: false,
      items: { type: 'object', properties: propertiesOf(children) },
    }),
    ui: clean({
      ...b,
      type: 'COLLECTION',
      columns: 1,
      itemName: 'Item',
      leftColumn: Object.keys(children),
      rightColumn: [],
    }),
    children,
  }));

const fields = fc.dictionary(id, fc.oneof({ weight: 6, arbitrary: simple }, { weight: 1, arbitrary: collection }), {
  maxKeys: 6,
});

const uiOf = (all: Readonly<Record<string, Field>>): Json => {
  const ui: Json = {};
  for (const [name, field] of Object.entries(all)) {
    ui[name] = field.ui;
    for (const [child, inner] of Object.entries(field.children ?? {})) ui[`${name}.${child}`] = inner.ui;
  }
  return ui;
};

/** An object written with a member `then` could be taken for a promise. */
const named = (name: string, value: Json): Json => ({ [name]: value });

const conditionalPart = (part: Readonly<Record<string, Field>>): Json => ({
  if: { properties: { armed: { const: true } }, required: ['armed'] },
  ...named('then', { properties: propertiesOf(part), required: [] }),
  'x-section': 'section-b',
});

const sectionOf = (names: readonly string[]): Json => ({
  label: '',
  columns: 2,
  isActive: true,
  leftColumn: names.map((name) => ({ name, type: 'field' })),
  rightColumn: [{ name: 'header-one', type: 'header' }],
  conditions: [{ field: 'armed', operator: 'EQUALS', value: true }],
});

/** Fields with unused names: a name identifies one field of the whole form. */
const apartFrom = (taken: object, part: Readonly<Record<string, Field>>): Readonly<Record<string, Field>> =>
  Object.fromEntries(Object.entries(part).filter(([name]) => !Object.hasOwn(taken, name)));

/** Documents that keep to the meta-schema, with every kind of field in them. */
export const validForms: fc.Arbitrary<Json> = fc
  .record({ root: fields, part: fields, conditional: fc.boolean() })
  .map(({ root, part, conditional }) => ({ root, part: apartFrom(root, part), conditional }))
  .map(({ root, part, conditional }) => ({
    json: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: propertiesOf(root),
      required: Object.keys(root).slice(0, 1),
      unevaluatedProperties: false,
      ...(conditional ? { allOf: [conditionalPart(part)] } : {}),
    },
    ui: {
      fields: conditional ? { ...uiOf(part), ...uiOf(root) } : uiOf(root),
      headers: { 'header-one': { label: 'One', section: 'section-a', size: 'LARGE' } },
      order: conditional ? ['section-a', 'section-b'] : ['section-a'],
      sections: {
        'section-a': sectionOf(Object.keys(root)),
        ...(conditional ? { 'section-b': sectionOf(Object.keys(part)) } : {}),
      },
    },
  }));

/** Objects whose content is free. */
const free = new Set(['x-enumExtra', 'value', 'const', 'default']);

/** Every object of a document that is closed, each as the keys that lead to it. */
export const objectsIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, member]) =>
    free.has(key) && !path.includes('properties') ? [] : objectsIn(member, [...path, key]),
  );
  return Array.isArray(value) ? inner : [path, ...inner];
};

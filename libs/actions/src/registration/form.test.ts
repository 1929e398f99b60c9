import test from 'ava';
import { z } from 'zod';
import { formOf } from './form.ts';

const schemaOf = (model: z.ZodType, options?: object) => formOf(model, options).schema as Record<string, never>;

test('a schema is draft 07 of what is taken, with definitions even when there are none', (t) => {
  const schema = schemaOf(z.object({ days: z.int().min(1).default(1), start: z.iso.datetime() }));
  t.like(schema, { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', definitions: {} });
  t.deepEqual(schema['required'], ['start']);
  t.like(schema, { properties: { days: { type: 'integer', minimum: 1, default: 1 } } });
  t.false('is_executable' in schema);
});

const area = z.object({ name: z.string() }).meta({ id: 'Area' });

test('what is named is referred to in the definitions, and nowhere else', (t) => {
  const schema = schemaOf(z.object({ one: area, many: z.array(area) }));
  const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref);
  t.deepEqual(refs, ['#/definitions/Area', '#/definitions/Area']);
  t.like(schema, { definitions: { Area: { type: 'object' } } });
  t.false(JSON.stringify(schema).includes('$defs'));
});

const secrets: [string, z.ZodType][] = [
  ['plain', z.string().meta({ secret: true })],
  ['with a default', z.string().default('').meta({ secret: true })],
  ['marked before its default', z.string().meta({ secret: true }).default('')],
  ['optional', z.string().meta({ secret: true }).optional()],
  ['that may be null', z.string().nullish().meta({ secret: true })],
  ['deep inside', z.object({ more: z.array(z.string().meta({ secret: true })) })],
];
for (const [what, model] of secrets)
  test(`a secret ${what} is a password that is only written`, (t) => {
    const text = JSON.stringify(schemaOf(z.object({ field: model })));
    t.true(text.includes('"format":"password","writeOnly":true'), text);
    t.false(text.includes('"secret"'));
  });

test('the default of a secret is not published, nor is anything else of it', (t) => {
  const text = JSON.stringify(schemaOf(z.object({ key: z.string().default('canary-value').meta({ secret: true }) })));
  t.false(text.includes('canary-value'));
});

test('an action that may be started from the portal says so in its schema', (t) => {
  t.is(schemaOf(z.object({}), { executable: true })['is_executable'], true as never);
});

test('a model that JSON has no words for is published as anything', (t) => {
  t.notThrows(() => schemaOf(z.object({ when: z.coerce.date(), size: z.bigint() })));
});

const instant = z.string().nullish().meta({ title: 'End', format: 'date-time' });
const kind = z.enum(['a', 'b_c']);

test('a form keeps the order of its members, and has widgets for times and whole numbers', (t) => {
  const model = z.object({ b: instant, a: z.int().default(1), c: z.string(), d: z.number() });
  t.deepEqual(formOf(model).ui_schema, {
    'ui:order': ['b', 'a', 'c', 'd'],
    b: { 'ui:widget': 'date-time' },
    a: { 'ui:widget': 'updown' },
  });
});

test('an optional member keeps its plain type and is not required', (t) => {
  const optional = [instant, z.string().nullable().default(null), z.int().nullable().optional(), kind.nullish()];
  for (const member of optional) {
    const schema = schemaOf(z.object({ must: z.string(), member }));
    t.deepEqual(schema['required'], ['must']);
    t.notRegex(JSON.stringify(schema), /anyOf|null/);
  }
  t.like(schemaOf(z.object({ end: instant })), {
    properties: { end: { type: 'string', title: 'End', format: 'date-time' } },
  });
});

for (const [what, model] of [
  ['of the values', kind.default('a')],
  ['given before the default', kind.meta({ labels: { a: 'First' } }).default('a')],
  ['given after it', kind.default('a').meta({ labels: { a: 'First' } })],
] as const)
  test(`a choice carries titles: ${what}`, (t) => {
    const { choice } = schemaOf(z.object({ choice: model }))['properties'] as unknown as Record<string, object>;
    t.deepEqual(choice, {
      type: 'string',
      default: 'a',
      oneOf: [
        { const: 'a', title: what === 'of the values' ? 'A' : 'First' },
        { const: 'b_c', title: 'B C' },
      ],
    });
  });

test('members that depend on a choice stand in its branches alone, required there, and in the order of the form', (t) => {
  const model = z.object({ kind: kind.default('a'), one: z.string().default(''), two: z.string().default('') });
  const { schema, ui_schema: ui } = formOf(model, {
    branches: { member: 'kind', is: 'a', matching: ['one'], others: ['two'] },
  });
  t.like(schema, {
    if: { properties: { kind: { const: 'a' } } },
    // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema names it so
    then: { properties: { one: { type: 'string', default: '' } }, required: ['one'] },
    else: { properties: { two: { type: 'string', default: '' } }, required: ['two'] },
  });
  t.deepEqual(Object.keys((schema as { properties: object }).properties), ['kind']);
  t.deepEqual(ui, { 'ui:order': ['kind', 'one', 'two'] });
});

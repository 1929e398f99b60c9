import test from 'ava';
import { z } from 'zod';
import { publishedSchema } from './schema.ts';

const schemaOf = (model: z.ZodType, options?: object) => publishedSchema(model, options) as Record<string, never>;

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

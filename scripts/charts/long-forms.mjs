/** @typedef {import('./entry.mjs').Entry} Entry @typedef {import('./entry.mjs').JsonSchema} JsonSchema */

const maxPattern = 200;

/** @param {unknown} schema @returns {JsonSchema | undefined} */
const inner = (schema) => (typeof schema === 'object' && schema !== null ? { ...schema } : undefined);

/** @param {JsonSchema} schema */
const longPattern = ({ pattern }) => (typeof pattern === 'string' && pattern.length > maxPattern ? pattern : undefined);

/** @param {JsonSchema} schema @returns {readonly [string, JsonSchema][]} */
const members = ({ properties }) =>
  Object.entries(inner(properties) ?? {}).map(([key, schema]) => [key, inner(schema) ?? {}]);

/**
 * A schema without patterns that are too long to be read in a sentence: the templates check those, and say what the value takes. They take
 * an empty text for none, so that one is refused here.
 * @param {JsonSchema} schema
 * @returns {JsonSchema}
 */
export const withoutLong = (schema) => {
  const items = inner(schema.items);
  /** @type {JsonSchema} */
  const shortened = {
    ...schema,
    ...(items === undefined ? {} : { items: withoutLong(items) }),
    ...(schema.properties === undefined
      ? {}
      : { properties: Object.fromEntries(members(schema).map(([key, each]) => [key, withoutLong(each)])) }),
  };
  const pattern = longPattern(shortened);
  if (pattern === undefined) return shortened;
  const { pattern: _, ...rest } = shortened;
  return new RegExp(pattern).test('') ? rest : { minLength: 1, ...rest };
};

/**
 * What the templates check instead. A path goes through lists: each of their items is meant.
 * @param {Pick<Entry, 'path' | 'schema' | 'takes'>} entry
 * @returns {object[]}
 */
const formsIn = ({ path, schema, takes }) => {
  const pattern = longPattern(schema);
  const { maxLength, description = takes } = schema;
  const own =
    pattern === undefined
      ? []
      : [{ path, takes: description, pattern, ...(maxLength === undefined ? {} : { maxLength }) }];
  const items = inner(schema.items);
  return [
    ...own,
    ...(items === undefined ? [] : formsIn({ path, schema: items, takes })),
    ...members(schema).flatMap(([key, each]) => formsIn({ path: `${path}.${key}`, schema: each, takes })),
  ];
};

/** The same of all values. @param {readonly Entry[]} entries */
export const longForms = (entries) => entries.flatMap(formsIn);

import { withoutLong } from './long-forms.mjs';

/** @typedef {import('./entry.mjs').Entry} Entry @typedef {import('./entry.mjs').JsonSchema} JsonSchema */

/**
 * Of a chart beside its entries.
 * @typedef {object} SchemaOptions
 * @property {string} title
 * @property {Readonly<Record<string, string>>} hints paths that are refused by the templates with a hint, so the schema lets them pass
 * @property {readonly string[]} [open] keys of other charts, which have schemas of their own
 */

/** @returns {JsonSchema & { properties: Record<string, JsonSchema> }} */
const closed = () => ({ type: 'object', additionalProperties: false, properties: {} });

/** Puts a schema at a path; what is on the way to it takes nothing else. @param {JsonSchema} root @param {string} path @param {JsonSchema} schema */
const put = (root, path, schema) => {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let node = /** @type {ReturnType<typeof closed>} */ (root);
  for (const key of keys) {
    node.properties[key] ??= closed();
    node = /** @type {ReturnType<typeof closed>} */ (node.properties[key]);
    node.properties ??= {};
  }
  node.properties[last] = { ...schema, ...node.properties[last] };
};

/** What other charts have under `global` passes, at every depth. @param {JsonSchema} schema @returns {JsonSchema} */
const opened = (schema) =>
  schema.additionalProperties === false && schema.properties
    ? {
        ...schema,
        additionalProperties: true,
        properties: Object.fromEntries(
          Object.entries(/** @type {Record<string, JsonSchema>} */ (schema.properties)).map(([key, inner]) => [
            key,
            opened(inner),
          ]),
        ),
      }
    : schema;

/** @param {Entry} entry @returns {JsonSchema} */
const described = ({ schema, about, default: value }) => ({
  description: about,
  ...withoutLong(schema),
  ...(value === undefined ? {} : { default: value }),
});

/** A variable counts from `global.config` as well, be it of this chart alone. @param {Entry} entry */
const isShared = ({ global, path }) => global || path.startsWith('config.');

/**
 * The schema of a chart's values: unknown keys are refused, but what other charts put under `global` passes.
 * @param {readonly Entry[]} entries
 * @param {SchemaOptions} options
 * @returns {JsonSchema}
 */
export const valuesSchema = (entries, { title, hints, open = [] }) => {
  const root = closed();
  for (const entry of entries) {
    put(root, entry.path, described(entry));
    if (isShared(entry)) put(root, `global.${entry.path}`, withoutLong(entry.schema));
  }
  for (const path of Object.keys(hints)) put(root, path, {});
  for (const key of open) {
    put(root, key, { type: 'object' });
    root.properties[key] = { ...root.properties[key], additionalProperties: true };
  }
  const shared = root.properties.global ?? { type: 'object' };
  const outer = entries.some(({ global }) => global) ? opened(shared) : shared;
  root.properties.global = { ...outer, description: 'Values for all charts of a release', additionalProperties: true };
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...root };
};

import { crds } from '@ranger-relay/operator';
import { table } from './sections.mjs';

/**
 * @typedef {{
 *   type?: string, description?: string, default?: unknown, enum?: readonly string[], pattern?: string, maximum?: number, minimum?: number,
 *   required?: readonly string[], properties?: Record<string, Schema>, items?: Schema, additionalProperties?: Schema,
 *   'x-kubernetes-validations'?: readonly { rule: string, message: string }[],
 * }} Schema
 */

const code = (/** @type {string} */ text) => `\`${text}\``;

/**
 * The schema of a part of a kind, as the definition in the cluster has it.
 * @param {string} file of the definition @param {'spec' | 'status'} part
 * @returns {Schema}
 */
const partOf = (file, part) => {
  const definition = /** @type {any} */ (crds()[file]);
  return definition.spec.versions[0].schema.openAPIV3Schema.properties[part];
};

/** What a field takes, in few words. @param {Schema} schema @returns {string} */
const takes = (schema) => {
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (schema.type === 'array') return `a list${schema.items?.enum ? ` of ${takes(schema.items)}` : ''}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer' && schema.maximum !== undefined)
    return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'integer') return 'a whole number';
  return schema.properties || schema.additionalProperties ? 'an object' : 'a text';
};

/** @typedef {{ path: string, schema: Schema, required: boolean }} Field */

/** All fields below a schema, each with its path. @param {Schema} schema @param {string} path @returns {Field[]} */
const fieldsBelow = (schema, path) => {
  /** @type {Field[]} */
  const fields = [];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const own = `${path}${name}`;
    fields.push({ path: own, schema: member, required: schema.required?.includes(name) ?? false });
    fields.push(...fieldsBelow(member.items ?? member, member.items ? `${own}[].` : `${own}.`));
  }
  return fields;
};

const byDefault = (/** @type {Field} */ { schema, required }) => {
  if (schema.default !== undefined) return code(JSON.stringify(schema.default).replaceAll('"', ''));
  return required ? 'required' : '–';
};

/** Every field of a spec. @param {string} file */
export const specTable = (file) =>
  table(
    ['field', 'format', 'default', 'description'],
    fieldsBelow(partOf(file, 'spec'), '').map((field) => [
      code(field.path),
      takes(field.schema),
      byDefault(field),
      field.schema.description ?? '',
    ]),
  );

/** Every field of a status. @param {string} file */
export const statusTable = (file) =>
  table(
    ['field', 'what it says'],
    fieldsBelow(partOf(file, 'status'), '').map(({ path, schema }) => [code(path), schema.description ?? '']),
  );

/** What the API server refuses beside a wrong form. @param {string} file */
export const ruleList = (file) =>
  [{ path: 'spec', schema: partOf(file, 'spec'), required: true }, ...fieldsBelow(partOf(file, 'spec'), 'spec.')]
    .flatMap(({ path, schema }) =>
      (schema['x-kubernetes-validations'] ?? []).map(({ message }) => `- ${code(path)}: ${message}.`),
    )
    .join('\n');

import { z } from 'zod';
import type { FormBranches } from '../define/action.ts';

type JsonSchema = Record<string, unknown>;

/** Derives a title from a slug: `x_tracker` becomes `X Tracker`. */
export const titleOf = (slug: string): string =>
  slug
    .split('_')
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Marks secret fields in the format that forms understand, and removes their defaults. */
const markSecret = (schema: JsonSchema): void => {
  if (!('secret' in schema)) return;
  const secret = schema['secret'] === true;
  delete schema['secret'];
  if (!secret) return;
  schema['format'] = 'password';
  schema['writeOnly'] = true;
  if (schema['default'] !== '' && schema['default'] !== null) delete schema['default'];
};

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** Gives an optional member its plain type: form libraries draw `anyOf` with null as a choice of two. */
const dropNull = (schema: JsonSchema): void => {
  if (schema['default'] === null) delete schema['default'];
  const options = schema['anyOf'] as JsonSchema[] | undefined;
  if (!options?.some(isNull)) return;
  const [only = {}, ...more] = options.filter((option) => !isNull(option));
  delete schema['anyOf'];
  const own = { ...schema };
  Object.assign(schema, more.length === 0 ? only : { anyOf: [only, ...more] }, own);
};

/** Gives the values of a choice titles, from `.meta({ labels })` or from the values. */
const labelChoices = (schema: JsonSchema): void => {
  const { enum: values, labels, oneOf } = schema as { enum?: unknown[]; labels?: object; oneOf?: { const: unknown }[] };
  delete schema['labels'];
  if (!values && !labels) return;
  delete schema['enum'];
  const titles = new Map<string, unknown>(Object.entries(labels ?? {}));
  schema['oneOf'] = (values ?? oneOf?.map(({ const: value }) => value) ?? []).map((value) => ({
    const: value,
    title: titles.get(String(value)) ?? titleOf(String(value)),
  }));
};

/** Moves the members that depend on a choice into its branches. */
const branched = (schema: JsonSchema, { member, is, matching, others }: FormBranches): JsonSchema => {
  const all = Object.entries((schema['properties'] ?? {}) as JsonSchema);
  const branch = (names: readonly string[]): JsonSchema => ({
    properties: Object.fromEntries(all.filter(([name]) => names.includes(name))),
    required: names,
  });
  return {
    ...schema,
    properties: Object.fromEntries(all.filter(([name]) => ![...matching, ...others].includes(name))),
    if: { properties: { [member]: { const: is } } },
    // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema names it so
    then: branch(matching),
    else: branch(others),
  };
};

const widgetOf = ({ type, format }: JsonSchema): string | undefined => {
  if (format === 'date-time') return 'date-time';
  return type === 'integer' ? 'updown' : undefined;
};

/** The order of the members, which a stored schema does not keep, and their widgets. */
const uiOf = (properties: Readonly<Record<string, JsonSchema>>, own: Readonly<Record<string, unknown>>): JsonSchema => {
  const widgets = Object.entries(properties).flatMap(([name, schema]) => {
    const widget = widgetOf(schema);
    return widget === undefined ? [] : [[name, { 'ui:widget': widget }]];
  });
  return { 'ui:order': Object.keys(properties), ...Object.fromEntries(widgets), ...own };
};

/** How a form differs from its model. */
interface FormOptions {
  readonly executable?: boolean;
  readonly branches?: FormBranches | undefined;
  readonly uiSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The form of a model's input: its draft-07 schema, always with `definitions`, and its hints (platform contract, registration). */
export const formOf = (
  model: z.ZodType,
  { executable = false, branches, uiSchema = {} }: FormOptions = {},
): { schema: object; ui_schema: object } => {
  const { definitions = {}, ...plain } = z.toJSONSchema(model, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const schema = jsonSchema as JsonSchema;
      markSecret(schema);
      dropNull(schema);
      labelChoices(schema);
    },
  }) as JsonSchema;
  const schema = branches ? branched(plain, branches) : plain;
  return {
    schema: { ...schema, definitions, ...(executable ? { is_executable: true } : {}) },
    ui_schema: uiOf((plain['properties'] ?? {}) as Record<string, JsonSchema>, uiSchema),
  };
};

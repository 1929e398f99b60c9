import { z } from 'zod';
import { jsonHalf, kindFor, kindOfJson, uiHalf, uiTypeOf, uiTypes } from './kinds.ts';
import { type Branch, branchesOf, type Fault, isMembers, jsonHalvesOf, member } from './model.ts';

/** Formats a name in a path; a name that is not a plain word is in brackets. */
export const pathOf = (place: readonly PropertyKey[]): string =>
  place
    .map((part) => (/^[\w$-]+$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`))
    .join('')
    .replace(/^\./, '');

/** Creates a fault. */
export const fault = (place: readonly PropertyKey[], text: string): Fault => ({ path: pathOf(place), text });

const oneOf = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(' or ');

const sentenceOf = (issue: z.core.$ZodRawIssue): string => {
  if (issue.code === 'unrecognized_keys') return `This has a member that is not allowed: ${issue.keys.join(', ')}.`;
  if (issue.input === undefined) return 'This is missing.';
  if (issue.code === 'invalid_type') return `This must be of the type ${issue.expected}.`;
  if (issue.code === 'invalid_value') return `This must be ${oneOf(issue.values)}.`;
  if (issue.code === 'too_big') return `This must not be longer than ${String(issue.maximum)}.`;
  if (issue.code === 'too_small') return `This must not be shorter than ${String(issue.minimum)}.`;
  if (issue.code === 'invalid_format') return `This must match ${issue.pattern ?? issue.format}.`;
  return 'This is not allowed here.';
};

/** The faults of a value according to a schema. */
const faultsOf = (schema: z.ZodType, value: unknown, place: readonly PropertyKey[]): Fault[] => {
  const { error } = schema.safeParse(value, { error: sentenceOf });
  return (error?.issues ?? []).map((issue) => fault(place.concat(issue.path), issue.message));
};

const isName = (name: string): boolean => /^[a-zA-Z0-9_-]+$/.test(name);
const isUnique = (list: readonly unknown[]): boolean => new Set(list).size === list.length;

const anyMembers = z.record(z.string(), z.unknown());
const names = z
  .array(z.string().refine(isName, 'This is no name of a property.'))
  .refine(isUnique, 'This names a property twice.');
const section = { 'x-section': z.string().optional() };

const consequence = z.strictObject({ properties: anyMembers, required: names.optional(), ...section });
// oxlint-disable-next-line unicorn/no-thenable -- JSON Schema names it so
const branchSchema = z.strictObject({ if: anyMembers, then: consequence, ...section });

const jsonSchema = z.strictObject({
  $schema: z.literal('https://json-schema.org/draft/2020-12/schema'),
  type: z.literal('object'),
  properties: anyMembers,
  required: names,
  unevaluatedProperties: z.literal(false),
  allOf: z.array(branchSchema).optional(),
});

type Place = readonly PropertyKey[];

/** Faults of a property; within a collection, the key of its UI half is `collection.child`. */
const propertyFaults = (name: string, key: string, property: unknown, ui: unknown, place: Place): Fault[] => {
  const faults = isName(name) ? [] : [fault(place, 'The name may hold only letters, digits, "_" and "-".')];
  const type = uiTypeOf(member(member(ui, 'fields'), key));
  const kind = type ? kindFor(type, property) : kindOfJson(property);
  if (!kind) return faults.concat(fault(place, 'This is none of the kinds that a field can be of.'));
  const children = kind === 'collection' ? member(member(property, 'items'), 'properties') : undefined;
  return [
    ...faults,
    ...faultsOf(jsonHalf(kind, property), property, place),
    ...groupFaults(children, ui, [...place, 'items', 'properties'], `${key}.`),
  ];
};

const groupFaults = (properties: unknown, ui: unknown, place: Place, prefix = ''): Fault[] =>
  Object.entries(isMembers(properties) ? properties : {}).flatMap(([name, property]) =>
    propertyFaults(name, `${prefix}${name}`, property, ui, place.concat(name)),
  );

const sectionFaults = ({ section, place }: Branch, ui: unknown): Fault[] =>
  section === undefined || isMembers(member(member(ui, 'sections'), section))
    ? []
    : [fault(place.slice(0, 3), `x-section names no section: ${section}.`)];

/** Faults of the JSON part; the UI part determines the required kind of each property. */
const jsonFaults = (json: unknown, ui: unknown): Fault[] => [
  ...faultsOf(jsonSchema, json, ['json']),
  ...groupFaults(member(json, 'properties'), ui, ['json', 'properties']),
  ...branchesOf(json).flatMap(({ properties, place }) => groupFaults(properties, ui, place)),
  ...branchesOf(json).flatMap((branch) => sectionFaults(branch, ui)),
];

const items = z.array(
  z
    .strictObject({ name: z.string(), type: z.enum(['field', 'header']) })
    .refine(
      ({ name, type }) => type === 'field' || name.startsWith('header-'),
      'The name of a header must begin with "header-".',
    ),
);

const sectionSchema = z.strictObject({
  columns: z.union([z.literal(1), z.literal(2)], 'This must be 1 or 2.'),
  isActive: z.boolean(),
  leftColumn: items,
  rightColumn: items,
  label: z.string().optional(),
  conditions: z.unknown().optional(),
});

const headerSchema = z.strictObject({
  label: z.string(),
  section: z.string(),
  size: z.enum(['LARGE', 'MEDIUM', 'SMALL']),
});

const anything = z.record(z.string(), z.unknown());
const sectionId = z.string().regex(/^section-[a-zA-Z0-9_-]+$/);
const uiSchema = z.strictObject({
  fields: anything,
  headers: anything,
  order: z.array(sectionId).refine((ids) => new Set(ids).size === ids.length, 'This names a section twice.'),
  sections: anything,
});

/** Whether the property of a key in the UI part exists: `name` itself, or `collection.child` within a collection. */
const hasProperty = (json: unknown, key: string): boolean => {
  const [name = '', ...children] = key.split('.');
  return jsonHalvesOf(json, name).some(
    (property) =>
      children.reduce<unknown>((at, child) => member(member(member(at, 'items'), 'properties'), child), property) !==
      undefined,
  );
};

const fieldFaults = (json: unknown, key: string, field: unknown): Fault[] => {
  const place = ['ui', 'fields', key];
  const type = uiTypeOf(field);
  const own = type
    ? faultsOf(uiHalf(type), field, place)
    : [fault([...place, 'type'], `This must be one of ${uiTypes.join(', ')}.`)];
  return hasProperty(json, key) ? own : [...own, fault(place, 'There is no property of this name.')];
};

const each = (ui: unknown, name: string, faults: (key: string, value: unknown) => Fault[]): Fault[] => {
  const all = member(ui, name);
  return isMembers(all) ? Object.entries(all).flatMap(([key, value]) => faults(key, value)) : [];
};

const orderFaults = (ui: unknown): Fault[] => {
  const order = member(ui, 'order');
  if (!Array.isArray(order)) return [];
  return order.flatMap((id: unknown, index) =>
    typeof id === 'string' && member(member(ui, 'sections'), id) === undefined
      ? [fault(['ui', 'order', index], `There is no section ${id}.`)]
      : [],
  );
};

/** Faults of the UI part; the JSON part determines which properties exist. */
const uiFaults = (json: unknown, ui: unknown): Fault[] => [
  ...faultsOf(uiSchema, ui, ['ui']),
  ...each(ui, 'fields', (key, field) => fieldFaults(json, key, field)),
  ...each(ui, 'sections', (key) => faultsOf(sectionId, key, ['ui', 'sections', key])),
  ...each(ui, 'sections', (key, section) => faultsOf(sectionSchema, section, ['ui', 'sections', key])),
  ...each(ui, 'headers', (key, header) => faultsOf(headerSchema, header, ['ui', 'headers', key])),
  ...orderFaults(ui),
];

/** Lists the violations of the rules that the site enforces for a form (site contract, 5.1); empty for a valid form. Accepts any value. */
export const validateForm = (document: unknown): Fault[] => {
  if (!isMembers(document)) return [fault([], 'The form must be an object with json and ui.')];
  const others = Object.keys(document).filter((name) => name !== 'json' && name !== 'ui');
  const json = member(document, 'json');
  const ui = member(document, 'ui');
  return [
    ...others.map((name) => fault([name], 'This is not allowed here.')),
    ...jsonFaults(json, ui),
    ...uiFaults(json, ui),
  ];
};

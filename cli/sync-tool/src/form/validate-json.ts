import { z } from 'zod';
import { branchesOf, type Branch } from './branches.ts';
import { fault, faultsOf } from './faults.ts';
import { isMembers, member } from './json.ts';
import { jsonHalf, kindOfJson } from './kinds.ts';
import type { Fault } from './model.ts';
import { kindFor, uiTypeOf } from './ui-kinds.ts';

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

/** Faults of a property; the key of its ui half is `collection.child` inside of a collection. */
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

/** Faults of the json part; the ui part says of which kind a property has to be. */
export const jsonFaults = (json: unknown, ui: unknown): Fault[] => [
  ...faultsOf(jsonSchema, json, ['json']),
  ...groupFaults(member(json, 'properties'), ui, ['json', 'properties']),
  ...branchesOf(json).flatMap(({ properties, place }) => groupFaults(properties, ui, place)),
  ...branchesOf(json).flatMap((branch) => sectionFaults(branch, ui)),
];

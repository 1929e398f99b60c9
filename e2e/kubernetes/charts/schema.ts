import { isDeepStrictEqual } from 'node:util';
import type { Path } from './values-file.ts';

/** A JSON schema, as far as those of the charts go. */
export interface Schema {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly propertyNames?: { readonly not?: { readonly enum: readonly string[] } };
}

/** A schema in place of a reference to it, the last of several, and the first of those that all hold, without the members that the others exclude. */
const resolved = (root: Schema, schema: Schema): Schema => {
  if (schema.$ref !== undefined) return resolved(root, root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {});
  if (schema.allOf) {
    const [first = {}, ...others] = schema.allOf.map((each) => resolved(root, each));
    const excluded = new Set(others.flatMap(({ propertyNames }) => propertyNames?.not?.enum ?? []));
    if (excluded.size === 0) return first;
    const properties = Object.entries(first.properties ?? {}).filter(([name]) => !excluded.has(name));
    return { ...first, properties: Object.fromEntries(properties) };
  }
  if (schema.anyOf) return resolved(root, schema.anyOf.at(-1) ?? {});
  return schema;
};

/** The schema of what stands at a path; undefined when nothing may stand there. */
export const schemaAt = (root: Schema, path: Path): Schema | undefined => {
  let schema: Schema | undefined = resolved(root, root);
  for (const key of path) {
    const { properties, additionalProperties }: Schema = schema;
    const open = typeof additionalProperties === 'object' ? additionalProperties : {};
    const member: Schema | undefined = properties?.[key] ?? (additionalProperties === false ? undefined : open);
    if (member === undefined) return undefined;
    schema = resolved(root, member);
  }
  return schema;
};

/** Whether a schema takes numbers. */
export const takesNumbers = (root: Schema, schema: Schema): boolean => {
  if (schema.$ref !== undefined || schema.allOf) return takesNumbers(root, resolved(root, schema));
  if (schema.anyOf) return schema.anyOf.some((each) => takesNumbers(root, each));
  return [schema.type].flat().some((type) => type === 'integer' || type === 'number');
};

/** Paths of all objects whose members the schema names. */
export const objectPaths = (root: Schema, path: Path = []): readonly Path[] => {
  const members = Object.keys(schemaAt(root, path)?.properties ?? {});
  return members.length === 0 ? [] : [path, ...members.flatMap((key) => objectPaths(root, [...path, key]))];
};

const ofType: Readonly<Record<string, (schema: Schema, value: unknown) => readonly unknown[]>> = {
  boolean: () => [true, false],
  number: (_, value) => [Number(value) + 1],
  integer: ({ minimum = 0, maximum = 65_535 }, value) => [
    Math.min(typeof value === 'number' ? value + 1 : minimum, maximum),
    minimum,
    maximum,
  ],
  string: () => ['probe'],
  object: () => [{ probe: 'x' }],
  array: () => [],
};

/** Values that a schema takes: its examples first, and one that may be there already last. */
export const otherValues = (root: Schema, schema: Schema, value: unknown): readonly unknown[] => {
  const {
    enum: words = [],
    type = words.length > 0 ? [] : typeof value,
    examples = [],
    items,
  } = resolved(root, schema);
  const inList = items === undefined ? [] : otherValues(root, items, undefined).map((item) => [item]);
  const types = [type].flat().flatMap((name) => ofType[name]?.(schema, value) ?? []);
  const all = [...examples, ...words, ...inList, ...types];
  return all.toSorted((a, b) => Number(isDeepStrictEqual(a, value)) - Number(isDeepStrictEqual(b, value)));
};

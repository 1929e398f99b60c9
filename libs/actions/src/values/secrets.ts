import { mask, redact } from '@ranger-relay/runtime';
import { z } from 'zod';

/** The parts of a schema definition that this module reads. */
interface Definition {
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly getter?: () => z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly items?: readonly z.ZodType[];
  readonly left?: z.ZodType;
  readonly right?: z.ZodType;
}

const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

/** The schemas that apply at one place: unwraps wrappers and pipes, and lists the branches of unions and intersections. */
const facesOf = (schema: z.ZodType, depth: number): z.ZodType[] => {
  if (depth <= 0) return [];
  const { innerType, in: input, out, getter, options, left, right } = definitionOf(schema);
  const next = [innerType, input, out, getter?.(), left, right, ...(options ?? [])].filter(
    (each) => each !== undefined,
  );
  return [schema, ...next.flatMap((each) => facesOf(each, depth - 1))];
};

/** Reads an own member of an object. Names come from outside, and `constructor` would find an inherited member. */
const ownMember = (object: object, name: string | number): unknown =>
  Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;

const childOf = (schema: z.ZodType, key: string | number): z.ZodType | undefined => {
  const { element, valueType, items } = definitionOf(schema);
  if (schema instanceof z.ZodObject) return ownMember(schema.shape, key) as z.ZodType | undefined;
  return typeof key === 'number' ? (items?.[key] ?? element) : valueType;
};

const maxDepth = 12;

const walk = (faces: readonly z.ZodType[], value: unknown, depth: number): unknown => {
  const open = faces.flatMap((face) => facesOf(face, 8));
  if (value !== null && value !== undefined && open.some((face) => face.meta()?.['secret'] === true)) return mask;
  if (typeof value !== 'object' || value === null || depth <= 0) return value;
  const child = (key: string | number, item: unknown): unknown =>
    walk(
      open.flatMap((face) => childOf(face, key) ?? []),
      item,
      depth - 1,
    );
  if (Array.isArray(value)) return value.map((item, index) => child(index, item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, child(key, item)]));
};

/** Returns a copy of a value that masks the fields marked as secret in its model, and the fields with secret names. */
export const maskSecrets = (model: z.ZodType, value: unknown): unknown => redact(walk([model], value, maxDepth));

const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
};

/** The texts that appear in one value and are masked in the other. */
export const maskedTexts = (original: unknown, masked: unknown): string[] => {
  if (masked === mask) return original === mask ? [] : textsOf(original);
  if (typeof original !== 'object' || original === null || typeof masked !== 'object' || masked === null) return [];
  return Object.entries(masked).flatMap(([key, item]) => maskedTexts(ownMember(original, key), item as unknown));
};

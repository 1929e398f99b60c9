import { z } from 'zod';
import { member } from './json.ts';
import type { Kind } from './kinds.ts';

const base = { parent: z.string().min(1), conditionalDependents: z.unknown().optional() };
const placeholder = z.string().min(1).max(32).optional();
const ids = z.array(z.string());

/** The ui half of each type (site contract, 5.1). */
const uiHalves = {
  TEXT: z.strictObject({
    ...base,
    type: z.literal('TEXT'),
    inputType: z.enum(['SHORT_TEXT', 'LONG_TEXT']),
    placeholder,
  }),
  NUMERIC: z.strictObject({ ...base, type: z.literal('NUMERIC'), placeholder }),
  BOOLEAN: z.strictObject({ ...base, type: z.literal('BOOLEAN') }),
  DATE_TIME: z.strictObject({ ...base, type: z.literal('DATE_TIME') }),
  CHOICE_LIST: z.strictObject({
    ...base,
    type: z.literal('CHOICE_LIST'),
    inputType: z.enum(['DROPDOWN', 'LIST']),
    placeholder,
  }),
  LOCATION: z.strictObject({ ...base, type: z.literal('LOCATION') }),
  ATTACHMENT: z.strictObject({ ...base, type: z.literal('ATTACHMENT'), allowableFileTypes: z.array(z.unknown()) }),
  COLLECTION: z.strictObject({
    ...base,
    type: z.literal('COLLECTION'),
    columns: z.union([z.literal(1), z.literal(2)], 'This must be 1 or 2.'),
    itemName: z.string(),
    leftColumn: ids,
    rightColumn: ids,
  }),
} satisfies Record<string, z.ZodType>;

/** What the ui half of a field is called. */
export type UiType = keyof typeof uiHalves;

/** The type of a ui half; undefined when the site knows no such type. */
export const uiTypeOf = (field: unknown): UiType | undefined => {
  const type = member(field, 'type');
  return typeof type === 'string' && Object.hasOwn(uiHalves, type) ? (type as UiType) : undefined;
};

/** What a ui half of this type must be. */
export const uiHalf = (type: UiType): z.ZodObject => uiHalves[type];

export const uiTypes: readonly string[] = Object.keys(uiHalves);

const kinds = {
  TEXT: 'text',
  NUMERIC: 'number',
  BOOLEAN: 'boolean',
  DATE_TIME: 'date',
  LOCATION: 'location',
  ATTACHMENT: 'attachment',
  COLLECTION: 'collection',
} as const satisfies Partial<Record<UiType, Kind>>;

/** The kind that the json half must be of when the ui half is of this type; lists of choices are for one or for several. */
export const kindFor = (type: UiType, property: unknown): Kind => {
  if (type !== 'CHOICE_LIST') return kinds[type];
  return member(property, 'type') === 'array' ? 'choices' : 'choice';
};

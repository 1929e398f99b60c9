import { isExactNumber } from '@ranger-relay/errors';
import { z } from 'zod';
import { isOptionList, isResolved, member } from './model.ts';

const uiBase = { parent: z.string().min(1), conditionalDependents: z.unknown().optional() };
const placeholder = z.string().max(32).optional();
const ids = z.array(z.string());

/** The UI half of each type (site contract, 5.1). */
const uiHalves = {
  TEXT: z.strictObject({
    ...uiBase,
    type: z.literal('TEXT'),
    inputType: z.enum(['SHORT_TEXT', 'LONG_TEXT']),
    placeholder,
  }),
  NUMERIC: z.strictObject({ ...uiBase, type: z.literal('NUMERIC'), placeholder }),
  BOOLEAN: z.strictObject({ ...uiBase, type: z.literal('BOOLEAN') }),
  DATE_TIME: z.strictObject({ ...uiBase, type: z.literal('DATE_TIME') }),
  CHOICE_LIST: z.strictObject({
    ...uiBase,
    type: z.literal('CHOICE_LIST'),
    inputType: z.enum(['DROPDOWN', 'LIST']),
    placeholder,
  }),
  LOCATION: z.strictObject({ ...uiBase, type: z.literal('LOCATION') }),
  ATTACHMENT: z.strictObject({ ...uiBase, type: z.literal('ATTACHMENT'), allowableFileTypes: z.array(z.unknown()) }),
  COLLECTION: z.strictObject({
    ...uiBase,
    type: z.literal('COLLECTION'),
    columns: z.union([z.literal(1), z.literal(2)], 'This must be 1 or 2.'),
    itemName: z.string(),
    leftColumn: ids,
    rightColumn: ids,
  }),
} satisfies Record<string, z.ZodType>;

/** Name of a UI half's type, the value of its member `type`. */
export type UiType = keyof typeof uiHalves;

/** The type of a UI half; undefined when the site does not know the type. */
export const uiTypeOf = (field: unknown): UiType | undefined => {
  const type = member(field, 'type');
  return typeof type === 'string' && Object.hasOwn(uiHalves, type) ? (type as UiType) : undefined;
};

/** The requirements for a UI half of this type. */
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

/**
 * The required kind of the JSON half for a UI half of this type; a choice list is for one value or for several, depending on the property.
 */
export const kindFor = (type: UiType, property: unknown): Kind => {
  if (type !== 'CHOICE_LIST') return kinds[type];
  return member(property, 'type') === 'array' ? 'choices' : 'choice';
};

/** Kinds of fields in a form (site contract, 5.1). */
export type Kind =
  'text' | 'number' | 'boolean' | 'date' | 'choice' | 'choices' | 'location' | 'attachment' | 'collection';

const base = {
  title: z.string().max(1_000),
  deprecated: z.boolean(),
  description: z.string().optional(),
  'x-section': z.string().optional(),
};

const listText = 'This must be {"$ref":"/api/v2.0/schemas/choices.json?field=<field>"} or another list of the site.';
const anyOf = z.array(z.unknown().refine(isOptionList, listText)).length(1);
const resolved = z.looseObject({ type: z.literal('string') });
const reference = z.strictObject({ type: z.literal('string'), anyOf });

const number = z.unknown().refine(isExactNumber, 'This must be a number.');

const anyMembers = z.record(z.string(), z.unknown());
const coordinates = z.strictObject({ latitude: anyMembers, longitude: anyMembers });

const dateFormats = ['date', 'time', 'date-time'] as const;

/** The JSON half of each kind. Locations, attachments and collections are passed through, so only their outline is checked. */
const jsonHalves = {
  text: z.strictObject({
    ...base,
    type: z.literal('string'),
    default: z.string().optional(),
    format: z.enum(['uri', 'uuid', 'email']).optional(),
    pattern: z.string().optional(),
  }),
  number: z.strictObject({
    ...base,
    type: z.literal('number'),
    minimum: number.optional(),
    maximum: number.optional(),
    default: number.optional(),
  }),
  boolean: z.strictObject({ ...base, type: z.literal('boolean'), default: z.boolean().optional() }),
  date: z.strictObject({ ...base, type: z.literal('string'), format: z.enum(dateFormats) }),
  choice: z.strictObject({ ...base, type: z.literal('string'), anyOf }),
  choices: z.strictObject({ ...base, type: z.literal('array'), uniqueItems: z.literal(true), items: reference }),
  location: z.looseObject({ ...base, type: z.literal('object'), properties: coordinates }),
  attachment: z.looseObject({ ...base, type: z.enum(['string', 'array']) }),
  collection: z.looseObject({
    ...base,
    type: z.literal('array'),
    unevaluatedItems: z.literal(false),
    items: z.looseObject({ type: z.literal('object'), properties: anyMembers }),
  }),
} satisfies Record<Kind, z.ZodType>;

const resolvedChoice = z.looseObject({ ...base, ...resolved.shape });
const resolvedChoices = z.looseObject({ ...base, type: z.literal('array'), items: resolved });

/** The requirements for a JSON half of this kind; an option list that the site has resolved stays unchanged. */
export const jsonHalf = (kind: Kind, property: unknown): z.ZodObject => {
  if (kind === 'choice' && isResolved(property)) return resolvedChoice;
  if (kind === 'choices' && isResolved(member(property, 'items'))) return resolvedChoices;
  return jsonHalves[kind];
};

const isDate = (format: unknown): boolean => dateFormats.some((known) => known === format);
const hasOptions = (value: unknown): boolean =>
  member(value, 'anyOf') !== undefined || member(value, 'enum') !== undefined;

const kindOfList = (property: unknown): Kind => {
  const items = member(property, 'items');
  if (member(items, 'type') === 'object') return 'collection';
  return hasOptions(items) ? 'choices' : 'attachment';
};

/** The kind that a JSON half indicates by itself; undefined when it indicates none. */
export const kindOfJson = (property: unknown): Kind | undefined => {
  const type = member(property, 'type');
  if (type === 'array') return kindOfList(property);
  if (type === 'object') return 'location';
  if (type === 'number' || type === 'boolean') return type;
  if (type !== 'string') return undefined;
  if (hasOptions(property)) return 'choice';
  return isDate(member(property, 'format')) ? 'date' : 'text';
};

import { isObject, type Body } from '../../json.ts';

/** Type of a property of the form. */
export type Kind =
  'text' | 'number' | 'boolean' | 'date' | 'choice' | 'choices' | 'location' | 'attachments' | 'collection';

const offersOptions = (schema: unknown): boolean =>
  isObject(schema) && (Object.hasOwn(schema, 'anyOf') || Object.hasOwn(schema, 'enum'));

const dates: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time']);

const kindOfText = (property: Body): Kind => {
  if (offersOptions(property)) return 'choice';
  return dates.has(property['format']) ? 'date' : 'text';
};

const kindOfList = ({ items }: Body): Kind => {
  if (offersOptions(items)) return 'choices';
  return isObject(items) && items['type'] === 'object' ? 'collection' : 'attachments';
};

/** The kind that a JSON property means to be; undefined when its `type` is none of the form's. */
export const kindOf = (property: unknown): Kind | undefined => {
  if (!isObject(property)) return undefined;
  switch (property['type']) {
    case 'string':
      return kindOfText(property);
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return 'location';
    case 'array':
      return kindOfList(property);
    default:
      return undefined;
  }
};

/** Kinds that each type of field can show. An attachment may be one address: a text of format uri. */
export const shownBy: Readonly<Record<string, readonly Kind[]>> = {
  TEXT: ['text'],
  NUMERIC: ['number'],
  BOOLEAN: ['boolean'],
  DATE_TIME: ['date'],
  CHOICE_LIST: ['choice', 'choices'],
  LOCATION: ['location'],
  ATTACHMENT: ['attachments', 'text'],
  COLLECTION: ['collection'],
};

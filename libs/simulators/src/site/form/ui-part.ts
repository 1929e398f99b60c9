import { isObject } from '../answers/fields.ts';
import { anything, closed, list, map, one, string, type Check } from './checks.ts';

const sectionId = /^section-[a-zA-Z0-9_-]+$/;
const headerId = /^header-[a-zA-Z0-9_-]+$/;
const fieldId = /^[a-zA-Z0-9_-]+$/;
/** A field of a collection is `collection.child`. */
const fieldKey = /^[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)?$/;

const placeholder = { placeholder: string({ most: 32 }) };
const columns = one(1, 2);
const ids = list(string({ pattern: fieldId }));

const field = (
  type: string,
  required: Readonly<Record<string, Check>> = {},
  optional: Readonly<Record<string, Check>> = {},
): Check =>
  closed(
    { type: one(type), parent: string({ least: 1 }), ...required },
    { conditionalDependents: list(string()), ...optional },
  );

const fields: Readonly<Record<string, Check>> = {
  TEXT: field('TEXT', { inputType: one('SHORT_TEXT', 'LONG_TEXT') }, placeholder),
  NUMERIC: field('NUMERIC', {}, placeholder),
  BOOLEAN: field('BOOLEAN'),
  DATE_TIME: field('DATE_TIME'),
  CHOICE_LIST: field('CHOICE_LIST', { inputType: one('DROPDOWN', 'LIST') }, placeholder),
  LOCATION: field('LOCATION'),
  ATTACHMENT: field('ATTACHMENT', { allowableFileTypes: list(string()) }),
  COLLECTION: field('COLLECTION', { columns, itemName: string(), leftColumn: ids, rightColumn: ids }),
};

const anyField: Check = (value, path) => {
  if (!isObject(value)) return `expected an object at ${path}`;
  const type = String(value['type']);
  const check = Object.hasOwn(fields, type) ? fields[type] : undefined;
  return check ? check(value, path) : `field type is not supported at ${path}`;
};

const item: Check = (value, path) => {
  const isHeader = isObject(value) && value['type'] === 'header';
  return closed({ name: string({ pattern: isHeader ? headerId : fieldId }), type: one('field', 'header') })(
    value,
    path,
  );
};

const sectionCondition = closed({ field: string(), operator: string() }, { id: string(), value: anything });

const section = closed(
  { columns, isActive: one(true, false), leftColumn: list(item), rightColumn: list(item) },
  { label: string(), conditions: list(sectionCondition) },
);

const header = closed({ label: string(), section: string(), size: one('LARGE', 'MEDIUM', 'SMALL') });

/** The member `ui` of a form by itself (site contract, section 5.1). */
export const uiPart: Check = closed({
  fields: map(fieldKey, anyField),
  headers: map(headerId, header),
  order: list(string({ pattern: sectionId }), { unique: true }),
  sections: map(sectionId, section),
});

import { type Body, isObject } from '../../json.ts';
import { anything, closed, list, map, one, string, type Check } from './checks.ts';

const sectionId = /^section-[a-zA-Z0-9_-]+$/;
const headerId = /^header-[a-zA-Z0-9_-]+$/;
const fieldId = /^[a-zA-Z0-9_-]+$/;
/** A field of a collection is `collection.child`. */
const fieldKey = /^[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)?$/;

const placeholder = { placeholder: string({ most: 32 }) };
const columns = one(1, 2);
const ids = list(string({ pattern: fieldId }));

type Members = Readonly<Record<string, Check>>;

/** The members of a field, required and optional. */
const field = (required: Members = {}, optional: Members = {}): readonly [Members, Members] => [
  { type: string(), parent: string({ least: 1 }), ...required },
  { conditionalDependents: list(string()), ...optional },
];

const fields: Readonly<Record<string, readonly [Members, Members]>> = {
  TEXT: field({ inputType: one('SHORT_TEXT', 'LONG_TEXT') }, placeholder),
  NUMERIC: field({}, placeholder),
  BOOLEAN: field(),
  DATE_TIME: field(),
  CHOICE_LIST: field({ inputType: one('DROPDOWN', 'LIST') }, placeholder),
  LOCATION: field(),
  ATTACHMENT: field({ allowableFileTypes: list(string()) }),
  COLLECTION: field({ columns, itemName: string(), leftColumn: ids, rightColumn: ids }),
};

const membersOf = (value: Body): readonly [Members, Members] | undefined => {
  const type = String(value['type']);
  return Object.hasOwn(fields, type) ? fields[type] : undefined;
};

const anyField: Check = (value, path) => {
  if (!isObject(value)) return `expected an object at ${path}`;
  const members = membersOf(value);
  return members ? closed(...members)(value, path) : `field type is not supported at ${path}`;
};

const keptOf = (value: unknown): unknown => {
  const members = isObject(value) ? membersOf(value) : undefined;
  if (!isObject(value) || !members) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => members.some((known) => Object.hasOwn(known, name))),
  );
};

/** The document as the site keeps it: unknown members of the fields in `ui` are dropped without a word. */
export const keptForm = (document: Body): Body => {
  const { ui } = document;
  const all = isObject(ui) ? ui['fields'] : undefined;
  if (!isObject(ui) || !isObject(all)) return document;
  const kept = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, keptOf(value)]));
  return { ...document, ui: { ...ui, fields: kept } };
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

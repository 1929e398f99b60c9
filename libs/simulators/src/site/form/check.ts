import { isObject, type Body } from '../../json.ts';
import { closed, firstOf } from './checks.ts';
import { jsonPart } from './json-part.ts';
import { kindOf, shownBy } from './kinds.ts';
import { uiPart } from './ui-part.ts';

const shape = closed({ json: jsonPart, ui: uiPart });

/** A member deep inside; undefined where there is none. */
const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);

const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found = at(value, key);
  return Array.isArray(found) ? found : [];
};

/** The JSON property of a field: at the root, in a conditional section, or inside a collection. */
const propertyOf = (json: unknown, key: string): unknown => {
  const [name = '', child] = key.split('.');
  const places = [json, ...listAt(json, 'allOf').map((part) => at(part, 'then'))];
  const property = places.map((place) => at(place, 'properties', name)).find((found) => found !== undefined);
  return child === undefined ? property : at(property, 'items', 'properties', child);
};

const fieldProblem = (json: unknown, key: string, field: unknown): string | undefined => {
  const property = propertyOf(json, key);
  const path = `$.ui.fields.${key}`;
  if (property === undefined) return `no property for the field at ${path}`;
  const kind = kindOf(property);
  const shown = shownBy[String(at(field, 'type'))] ?? [];
  return kind !== undefined && shown.includes(kind) ? undefined : `the field does not fit its property at ${path}`;
};

const orderProblem = (ui: unknown): string | undefined => {
  const lost = listAt(ui, 'order').find((id) => at(ui, 'sections', String(id)) === undefined);
  return lost === undefined ? undefined : `no section ${JSON.stringify(lost)} at $.ui.order`;
};

/**
 * Problem of a form's document as `<reason> at <path>`, or undefined (site contract, section 5.1). Every object is closed; each field has a
 * matching property; every entry of `order` is a section.
 */
export const formProblem = (document: Body): string | undefined => {
  const problem = shape(document, '$');
  if (problem !== undefined) return problem;
  const { json, ui } = document;
  const fields = Object.entries(at(ui, 'fields') as Body);
  return orderProblem(ui) ?? firstOf(fields.map(([key, field]) => fieldProblem(json, key, field)));
};

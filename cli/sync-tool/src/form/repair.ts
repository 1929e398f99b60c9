import type { FormDocument } from '@ranger-relay/site';
import { uiHalf, uiTypeOf } from './kinds.ts';
import { branchesOf, copyJson, isMembers, member } from './model.ts';
import { pathOf } from './validate.ts';

/** A form as the site stores it, and the paths of what differs. */
export interface RepairedForm {
  readonly document: FormDocument;
  readonly repaired: readonly string[];
}

type Place = readonly PropertyKey[];

const entriesOf = (value: unknown): [string, unknown][] => Object.entries(isMembers(value) ? value : {});

/** Adds `deprecated` to the properties of a group, and to those of its collections. Returns the paths. */
const repairGroup = (properties: unknown, place: Place): string[] =>
  entriesOf(properties).flatMap(([name, property]) => {
    if (!isMembers(property)) return [];
    const here = place.concat(name);
    const inner = repairGroup(member(member(property, 'items'), 'properties'), here.concat('items', 'properties'));
    if (Object.hasOwn(property, 'deprecated')) return inner;
    property['deprecated'] = false;
    return inner.concat(`${pathOf(here)}: deprecated: false added`);
  });

/** Removes the members of a UI half that its type does not have. Returns the paths. */
const repairField = ([name, field]: [string, unknown]): string[] => {
  const type = uiTypeOf(field);
  if (!type || !isMembers(field)) return [];
  const strange = Object.keys(field).filter((each) => !Object.hasOwn(uiHalf(type).shape, each));
  for (const each of strange) delete field[each];
  return strange.map((each) => `${pathOf(['ui', 'fields', name, each])}: dropped, as the site does on saving`);
};

/**
 * Makes old fields of a form as the site stores them today: it refuses every form with a field without `deprecated`, and drops unknown
 * members of UI halves on saving. Does not modify the form itself.
 */
export const repairForm = (form: FormDocument): RepairedForm => {
  const document = copyJson(form);
  const repaired = [
    ...repairGroup(member(document.json, 'properties'), ['json', 'properties']),
    ...branchesOf(document.json).flatMap(({ properties, place }) => repairGroup(properties, place)),
    ...entriesOf(member(document.ui, 'fields')).flatMap(repairField),
  ];
  return { document, repaired };
};

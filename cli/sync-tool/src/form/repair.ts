import type { FormDocument } from '@ranger-relay/site';
import { branchesOf, copyJson, isMembers, member } from './model.ts';
import { pathOf } from './validate.ts';

/** A form that the site accepts although an older one of its fields does not, and the paths of what was added. */
export interface RepairedForm {
  readonly document: FormDocument;
  readonly repaired: readonly string[];
}

type Place = readonly PropertyKey[];

/** Adds the member to the properties of a group, and to those of its collections. Returns the paths. */
const repairGroup = (properties: unknown, place: Place): string[] =>
  Object.entries(isMembers(properties) ? properties : {}).flatMap(([name, property]) => {
    if (!isMembers(property)) return [];
    const here = place.concat(name);
    const inner = repairGroup(member(member(property, 'items'), 'properties'), [...here, 'items', 'properties']);
    if (Object.hasOwn(property, 'deprecated')) return inner;
    property['deprecated'] = false;
    return [pathOf(here), ...inner];
  });

/**
 * Adds `deprecated: false` to fields without it. The site once stored such fields, and now refuses every form that contains one. Does not
 * modify the form itself.
 */
export const repairForm = (form: FormDocument): RepairedForm => {
  const document = copyJson(form);
  const repaired = [
    ...repairGroup(member(document.json, 'properties'), ['json', 'properties']),
    ...branchesOf(document.json).flatMap(({ properties, place }) => repairGroup(properties, place)),
  ];
  return { document, repaired };
};

import { isMembers, member, type Members } from './json.ts';

/** One conditional part of a form: its fields, and the section that shows them when its condition holds. */
export interface Branch {
  readonly place: readonly PropertyKey[];
  readonly properties: Members;
  readonly section: string | undefined;
}

const sectionOf = (...values: readonly unknown[]): string | undefined => {
  const found = values.map((value) => member(value, 'x-section')).find((section) => typeof section === 'string');
  return found as string | undefined;
};

/** The conditional parts of a form that hold properties: `json.allOf[i].then.properties` (site contract, 5.1). */
export const branchesOf = (json: unknown): readonly Branch[] => {
  const all = member(json, 'allOf');
  if (!Array.isArray(all)) return [];
  return all.flatMap((item: unknown, index): Branch[] => {
    const then = member(item, 'then');
    const properties = member(then, 'properties');
    if (!isMembers(properties)) return [];
    const place = ['json', 'allOf', index, 'then', 'properties'];
    return [{ place, properties, section: sectionOf(item, then, ...Object.values(properties)) }];
  });
};

/** Every half of a field in the json part: in the root, or in a conditional part. */
export const jsonHalvesOf = (json: unknown, name: string): readonly unknown[] =>
  [member(json, 'properties'), ...branchesOf(json).map(({ properties }) => properties)].flatMap((properties) => {
    const found = member(properties, name);
    return found === undefined ? [] : [found];
  });

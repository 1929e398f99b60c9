import { isDeepStrictEqual } from 'node:util';
import { Failure } from './failure.ts';
import { isObject, type Json } from './json.ts';

type Path = readonly string[];

/** Which manager set which member of which object, as server-side apply keeps it. Lists count as one value. */
export interface Managers {
  /** The object after an apply. @throws Failure Conflict with the members that others own */
  apply(owner: string, uid: string, present: Json, wanted: Json, force: boolean): Json;
  /** Takes note of a write that was no apply. */
  wrote(owner: string, uid: string, before: Json, after: Json): void;
}

const hidden = new Set([
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.creationTimestamp',
]);

/** A member of a status is written, and taken away, as a whole, as definitions say that do not want halves of it. */
const isWhole = ([first, ...rest]: Path): boolean => first === 'status' && rest.length === 1;

const leavesOf = (value: Json, path: Path = []): [string, Path, unknown][] =>
  Object.entries(value).flatMap(([name, member]): [string, Path, unknown][] => {
    const here = [...path, name];
    if (hidden.has(here.join('.'))) return [];
    if (isObject(member) && Object.keys(member).length > 0 && !isWhole(here)) return leavesOf(member, here);
    return [[JSON.stringify(here), here, member]];
  });

const read = (object: Json, path: Path): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), object);

/** Nothing in an object says nothing about what others put there. */
const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

const write = (object: Json, [name = '', ...rest]: Path, value: unknown): Json => {
  if (rest.length > 0) {
    const inner = object[name];
    return { ...object, [name]: write(isObject(inner) ? inner : {}, rest, value) };
  }
  if (value !== undefined) return { ...object, [name]: value };
  const { [name]: _, ...others } = object;
  return others;
};

/** Makes the memory of who owns what. */
export const createManagers = (): Managers => {
  const owned = new Map<string, Map<string, Set<string>>>();

  const ofObject = (uid: string): Map<string, Set<string>> => {
    const found = owned.get(uid) ?? new Map<string, Set<string>>();
    owned.set(uid, found);
    return found;
  };

  const othersWith = (uid: string, owner: string, leaf: string): string[] =>
    [...ofObject(uid)].filter(([name, leaves]) => name !== owner && leaves.has(leaf)).map(([name]) => name);

  return {
    apply(owner, uid, present, wanted, force) {
      const leaves = leavesOf(wanted);
      const contested = leaves.filter(
        ([leaf, path, value]) =>
          !isDeepStrictEqual(read(present, path), value) && othersWith(uid, owner, leaf).length > 0,
      );
      if (contested.length > 0 && !force)
        throw new Failure(
          409,
          'Conflict',
          `Apply failed with ${contested.length} conflict(s)`,
          contested.map(([leaf, path]) => ({
            reason: 'FieldManagerConflict',
            message: `conflict with "${othersWith(uid, owner, leaf).join()}"`,
            field: `.${path.join('.')}`,
          })),
        );
      for (const [leaf] of contested) for (const set of ofObject(uid).values()) set.delete(leaf);
      const before = ofObject(uid).get(owner) ?? new Set();
      const after = new Set(leaves.map(([leaf]) => leaf));
      ofObject(uid).set(owner, after);
      const dropped = [...before].filter((leaf) => !after.has(leaf) && othersWith(uid, owner, leaf).length === 0);
      const shorn = dropped.reduce((object, leaf) => write(object, JSON.parse(leaf) as Path, undefined), present);
      return leaves
        .filter(([, path, value]) => !(isEmpty(value) && isObject(read(shorn, path))))
        .reduce((object, [, path, value]) => write(object, path, value), shorn);
    },
    wrote(owner, uid, before, after) {
      const changed = leavesOf(after).filter(([, path, value]) => !isDeepStrictEqual(read(before, path), value));
      for (const [leaf] of changed) for (const set of ofObject(uid).values()) set.delete(leaf);
      const own = ofObject(uid).get(owner) ?? new Set();
      ofObject(uid).set(owner, new Set([...own, ...changed.map(([leaf]) => leaf)]));
    },
  };
};

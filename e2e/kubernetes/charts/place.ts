import type { KubeObject } from './objects.ts';

/** One step into a value: a key, a place in a list, or the first of a list whose member, or which itself, has a value. */
type Step = { readonly key: string } | { readonly index: number } | { readonly where: string; readonly is: string };

const token = /\.?([^.[\]]+)|\[(\d+)\]|\[([\w.]*)=([^\]]*)\]|\["([^"]+)"\]/gy;

const stepOf = ([, key, index, where, is, quoted]: RegExpMatchArray): Step => {
  if (index !== undefined) return { index: Number(index) };
  if (where !== undefined) return { where, is: is ?? '' };
  return { key: quoted ?? key ?? '' };
};

/** @throws when a path has what is no step */
const stepsOf = (path: string): readonly Step[] => {
  const matches = [...path.matchAll(token)];
  if (matches.map(([whole]) => whole).join('') !== path) throw new Error(`"${path}" is no path`);
  return matches.map(stepOf);
};

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

const follow = (value: unknown, step: Step): unknown => {
  if ('key' in step) return memberOf(value, step.key);
  if (!Array.isArray(value)) return undefined;
  if ('index' in step) return value[step.index];
  return value.find((item) => String(step.where === '' ? item : at(item, step.where)) === step.is);
};

/** What is at a path of a value, `a.b[0].c[name=x]["d.e"]`; undefined when nothing is. @throws when it is no path */
export const at = (value: unknown, path: string): unknown => stepsOf(path).reduce(follow, value);

const address = /^(?<kind>\w+)(?:\/(?<end>[^#]+))?#(?<path>.*)$/;

/**
 * What is at `Kind#path` or `Kind/end of the name#path` of some objects, null when nothing is; with an empty path whether there is such an
 * object. Of several of a kind the one with the shortest name is meant.
 * @throws when it is no such address
 */
export const place = (objects: readonly KubeObject[], where: string): unknown => {
  const { kind, end = '', path = '' } = address.exec(where)?.groups ?? {};
  if (kind === undefined) throw new Error(`"${where}" is no address of a value`);
  const [found] = objects
    .filter((object) => object.kind === kind && object.metadata.name.endsWith(end))
    .toSorted((a, b) => a.metadata.name.length - b.metadata.name.length);
  if (path === '') return found !== undefined;
  return at(found, path) ?? null;
};

import { Failure } from './failure.ts';

/** Which objects of a kind are meant. */
export type Selects = (object: Json | undefined) => boolean;

const termOf = (term: string): ((labels: Json) => boolean) => {
  const match = /^([\w./-]+)(?:(!?=)=?([\w.-]*))?$/.exec(term.trim());
  if (!match) throw new Failure(400, 'BadRequest', `unable to parse the selector "${term}"`);
  const [, name = '', operator, value] = match;
  if (operator === undefined) return (labels) => name in labels;
  return (labels) => (labels[name] === value) === (operator === '=');
};

/** Objects of a namespace (of all when undefined) with labels. @throws Failure BadRequest for a selector that cannot be read */
export const selection = (namespace: string | undefined, labelSelector: string | null): Selects => {
  const terms = (labelSelector ?? '').split(',').filter(Boolean).map(termOf);
  return (object) => {
    if (!object) return false;
    const meta = metaOf(object);
    const labels = memberOf(meta, 'labels');
    return (namespace === undefined || meta['namespace'] === namespace) && terms.every((holds) => holds(labels));
  };
};

/** An object as it travels. */
export type Json = { [member: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that is an object; an empty one where there is none. */
const memberOf = (value: Json, name: string): Json => {
  const member = value[name];
  return isObject(member) ? member : {};
};

/** A copy without some members. */
export const without = (object: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

export const metaOf = (object: Json): Json => memberOf(object, 'metadata');

/** `namespace/name`, or `name`. */
export const keyOf = (object: Json): string => {
  const { namespace, name } = metaOf(object);
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${String(name)}` : String(name);
};

import type { SimulatedResponse } from '../../http/answer.ts';
import { isObject, notAnObject, type Body } from '../../json.ts';
import { failed, refused } from './envelope.ts';

/** Returns the problem of a member, or undefined. */
export type Rule = (value: unknown) => string | undefined;

/** A text with something in it. */
export const text: Rule = (value) => {
  if (value === null) return 'This field may not be null.';
  if (typeof value !== 'string') return 'Not a valid string.';
  return value.trim() === '' ? 'This field may not be blank.' : undefined;
};

/** true or false, not their spellings. */
export const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'Must be a valid boolean.');

/** An object. */
export const object: Rule = (value) => (isObject(value) ? undefined : 'Value must be valid JSON object.');

/** A position, 0 to 32767 or null. */
export const position: Rule = (value) => {
  if (value === null) return undefined;
  if (!Number.isInteger(value)) return 'A valid integer is required.';
  if (Number(value) > 32_767) return 'Ensure this value is less than or equal to 32767.';
  return Number(value) < 0 ? 'Ensure this value is greater than or equal to 0.' : undefined;
};

/** A member that nobody may send. */
export const readOnly: Rule = () => 'This field may not be written.';

/**
 * 400 when members break their rules or `required` ones are missing, naming each; members without a rule are ignored.
 */
export const refusal = (
  body: Body,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): SimulatedResponse | undefined => {
  const problems: Record<string, string[]> = {};
  for (const [name, rule] of Object.entries(rules)) {
    if (!Object.hasOwn(body, name)) {
      if (required.includes(name)) problems[name] = ['This field is required.'];
      continue;
    }
    const problem = rule(body[name]);
    if (problem !== undefined) problems[name] = [problem];
  }
  return Object.keys(problems).length > 0 ? refused(problems) : undefined;
};

/** Problems by member; an empty object for what is good. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** The problems of each of several items; undefined when all are good. */
export const itemProblems = (
  items: readonly unknown[],
  problemsOf: (item: Body) => Problems,
): readonly Problems[] | undefined => {
  const problems = items.map((item) => (isObject(item) ? problemsOf(item) : { non_field_errors: [notAnObject] }));
  return problems.some((each) => Object.keys(each).length > 0) ? problems : undefined;
};

/** 500 when a text is longer than its column, in characters; the site does not look before it writes (site contract, section 1). */
export const overlong = (body: Body, columns: Readonly<Record<string, number>>): SimulatedResponse | undefined => {
  for (const [name, most] of Object.entries(columns)) {
    const value = body[name];
    if (typeof value === 'string' && [...value].length > most)
      return failed(500, `value too long for type character varying(${most})`);
  }
  return undefined;
};

/** The members of a body that a record may take over. */
export const taken = <T>(body: Body, names: readonly (keyof T & string)[]): Partial<T> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]])) as Partial<T>;

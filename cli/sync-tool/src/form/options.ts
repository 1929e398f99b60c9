import { isMembers, member, type Members } from './json.ts';

const ours = '/api/v2.0/schemas/choices.json?field=';
const known =
  /^\/api\/v2\.0\/schemas\/(?:choices\.json\?field=[^&#\s]+|(?:event_types|spatial_features|sources|subjects|users)\.json(?:\?\S*)?)$/;

/** Where the options of a choice field come from (site contract, 5.1, R). */
export const optionsOf = (choiceField: string): string => `${ours}${choiceField}`;

/** An option list that the site put in the place of a reference. */
export const isResolved = (value: unknown): value is Members =>
  isMembers(value) && Array.isArray(member(value, 'enum')) && Object.hasOwn(value, 'x-enumExtra');

/** One entry of `anyOf` that the site accepts: a reference to a list it knows, or a list that it resolved itself. */
export const isOptionList = (value: unknown): boolean => {
  if (isResolved(value)) return true;
  const ref = member(value, '$ref');
  return isMembers(value) && Object.keys(value).length === 1 && typeof ref === 'string' && known.test(ref);
};

/** What a choice refers to, for people. */
export const optionsText = (property: unknown): string => {
  const list = member(property, 'anyOf');
  const [first] = Array.isArray(list) ? (list as unknown[]) : [];
  const ref = member(first, '$ref');
  if (typeof ref === 'string') return ref.startsWith(ours) ? ref.slice(ours.length) : ref;
  return member(property, 'enum') !== undefined || member(first, 'enum') !== undefined
    ? 'a list of options'
    : 'nothing';
};

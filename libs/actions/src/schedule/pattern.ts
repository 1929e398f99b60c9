import { patterns } from '@ranger-relay/runtime';
import { fieldKinds, maxOffset, minOffset, type FieldKind } from './field.ts';

const { oneOf, optional, wholeNumbers } = patterns;

/** A blank or the end of a line. */
const blank = '[ \\t\\r\\n]';

const step = optional('/(?:[1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9])');

/** A name as people write it. */
const spellings = (name: string): readonly string[] => [
  name,
  name.toUpperCase(),
  name.charAt(0).toUpperCase() + name.slice(1),
];

/** What stands in a field: numbers, names, ranges and stars with their steps. */
const fieldOf = ({ min, max, names }: FieldKind): string => {
  const value = oneOf([`0?${wholeNumbers(min, max)}`, ...names.flatMap(spellings)]);
  const part = oneOf([`\\*${step}`, `${value}${optional(`-${value}${step}`)}`]);
  return `${part}(?:,${part})*`;
};

/** Hours of two digits at most. */
const hours = (most: number): string => oneOf(['0?[0-9]', wholeNumbers(10, most)]);

const offset = oneOf([`-${hours(-minOffset)}`, `[+]?${hours(maxOffset)}`]);

const crontab = `${fieldKinds.map(fieldOf).join(`${blank}+`)}${optional(`${blank}+${offset}`)}`;

/**
 * Overrides of schedules as they are written: `<action id>:<crontab>`, separated by semicolons. Left to those who read them: whether there is
 * such an action, once only, and whether a range runs backwards.
 */
export const overridesPattern = `^${blank}*(?:[a-z0-9_]{1,100}${blank}*:${blank}*${crontab}${blank}*(?:;${blank}*|$))+$`;

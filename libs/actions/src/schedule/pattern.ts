import { wholeNumbers } from '@ranger-relay/runtime';
import { fieldKinds, maxOffset, minOffset, type FieldKind } from './field.ts';

const optional = (pattern: string): string => `(?:${pattern})?`;
const oneOf = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`;

const step = optional('/[1-9][0-9]{0,2}');

/** A name as people write it. */
const spellings = (name: string): readonly string[] => [
  name,
  name.toUpperCase(),
  name.charAt(0).toUpperCase() + name.slice(1),
];

/** What stands in a field: numbers, names, ranges and stars with their steps. */
const fieldOf = ({ min, max, names }: FieldKind): string => {
  const value = oneOf(`0?${wholeNumbers(min, max)}`, ...names.flatMap(spellings));
  const part = oneOf(`\\*${step}`, `${value}${optional(`-${value}${step}`)}`);
  return `${part}(?:,${part})*`;
};

const offset = oneOf(wholeNumbers(minOffset, maxOffset), `[+]${wholeNumbers(0, maxOffset)}`);

/**
 * Overrides of schedules as they are written: `<action id>:<crontab>`, separated by semicolons. Left to those who read them: whether there is
 * such an action, once only, and whether a range runs backwards.
 */
export const overridesPattern = `^(?: *[a-z0-9_]{1,100} *: *${fieldKinds.map(fieldOf).join(' +')}${optional(` +${offset}`)} *(?:;|$))+$`;

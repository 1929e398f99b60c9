import { z } from 'zod';
import type { Fault } from './model.ts';

/** Names in a path; those that are no plain words stand in brackets. */
export const pathOf = (place: readonly PropertyKey[]): string =>
  place
    .map((part) => (/^[\w$-]+$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`))
    .join('')
    .replace(/^\./, '');

/** Makes a fault. */
export const fault = (place: readonly PropertyKey[], text: string): Fault => ({ path: pathOf(place), text });

const oneOf = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(' or ');

const sentenceOf = (issue: z.core.$ZodRawIssue): string => {
  if (issue.code === 'unrecognized_keys') return `This has a member that is not allowed: ${issue.keys.join(', ')}.`;
  if (issue.input === undefined) return 'This is missing.';
  if (issue.code === 'invalid_type') return `This must be of the type ${issue.expected}.`;
  if (issue.code === 'invalid_value') return `This must be ${oneOf(issue.values)}.`;
  if (issue.code === 'too_big') return `This must not be longer than ${String(issue.maximum)}.`;
  if (issue.code === 'too_small') return `This must not be shorter than ${String(issue.minimum)}.`;
  if (issue.code === 'invalid_format') return `This must match ${issue.pattern ?? issue.format}.`;
  return 'This is not allowed here.';
};

/** The faults that a value has against a schema. */
export const faultsOf = (schema: z.ZodType, value: unknown, place: readonly PropertyKey[]): Fault[] => {
  const { error } = schema.safeParse(value, { error: sentenceOf });
  return (error?.issues ?? []).map((issue) => fault(place.concat(issue.path), issue.message));
};

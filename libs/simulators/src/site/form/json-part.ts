import { anything, closed, list, map, number, one, string, type Check } from './checks.ts';
import { formProperties, propertyName, requiredNames } from './property.ts';

/** What decides whether a conditional section is shown: schema words, none of which is unknown. */
const condition: Check = (value, path) =>
  closed(
    {},
    {
      type: string(),
      properties: map(propertyName, condition),
      required: requiredNames,
      allOf: list(condition),
      anyOf: list(condition),
      oneOf: list(condition),
      not: condition,
      contains: condition,
      const: anything,
      enum: list(anything),
      pattern: string(),
      format: string(),
      minimum: number,
      maximum: number,
      exclusiveMinimum: number,
      exclusiveMaximum: number,
      minLength: number,
      maxLength: number,
      minItems: number,
      maxItems: number,
    },
  )(value, path);

/** The section that the fields belong to may be named in either of two places. */
const section = { 'x-section': string() };

const consequence = closed({ properties: formProperties }, { required: requiredNames, ...section });

/** An object written with a member `then` could be taken for a promise. */
const named = (name: string, check: Check): Readonly<Record<string, Check>> => ({ [name]: check });

const conditional = closed({ if: condition, ...named('then', consequence) }, section);

/** The member `json` of a form (site contract, section 5.1). */
export const jsonPart: Check = closed(
  {
    $schema: one('https://json-schema.org/draft/2020-12/schema'),
    type: one('object'),
    properties: formProperties,
    required: requiredNames,
    unevaluatedProperties: one(false),
  },
  { allOf: list(conditional) },
);

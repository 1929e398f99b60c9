import { anything, type Check, closed, flag, list, map, number, one, string } from './checks.ts';
import { type Kind, kindOf } from './kinds.ts';

/** Valid names of properties and conditions. */
const propertyName = /^[a-zA-Z0-9_-]+$/;

const common = { title: string({ most: 1_000 }), deprecated: flag };
const described = { description: string() };

const property = (required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check =>
  closed({ ...common, ...required }, { ...described, ...optional });

const source = string({
  pattern:
    /^\/api\/v2\.0\/schemas\/(choices\.json\?field=[a-zA-Z0-9_-]+|(event_types|spatial_features|sources|subjects|users)\.json(\?.*)?)$/,
});

const reference = list(closed({ $ref: source }), { size: 1 });

/** A list of options that the site has put in place of the reference. */
const resolved = { enum: list(string(), { unique: true }), 'x-enumExtra': anything };

/** Options by reference, or as the site resolved them. */
const withOptions =
  (build: (options: Readonly<Record<string, Check>>) => Check): Check =>
  (value, path) =>
    (typeof value === 'object' && value !== null && Object.hasOwn(value, 'enum')
      ? build(resolved)
      : build({ anyOf: reference }))(value, path);

const choice = withOptions((options) => property({ type: one('string'), ...options }));
const choiceItems = withOptions((options) => closed({ type: one('string'), ...options }));
const names = list(string({ pattern: propertyName }), { unique: true });

const coordinate = closed(
  { type: one('number') },
  { minimum: number, maximum: number, title: string({ most: 1_000 }), deprecated: flag, ...described },
);

const size = { minItems: number, maxItems: number };

/** The properties of an object, each by its kind; a collection holds no collections. */
const properties = (inner: boolean): Check =>
  map(propertyName, (value, path) => {
    const kind = kindOf(value);
    if (kind === undefined) return `type is not supported at ${path}`;
    if (inner && kind === 'collection') return `a collection inside a collection at ${path}`;
    return checks[kind](value, path);
  });

const checks: Readonly<Record<Kind, Check>> = {
  text: property(
    { type: one('string') },
    { default: string(), format: one('uri', 'uuid', 'email'), pattern: string() },
  ),
  number: property({ type: one('number') }, { minimum: number, maximum: number, default: number }),
  boolean: property({ type: one('boolean') }, { default: flag }),
  date: property({ type: one('string'), format: one('date', 'time', 'date-time') }),
  choice,
  choices: property({ type: one('array'), uniqueItems: one(true), items: choiceItems }),
  location: property(
    { type: one('object'), properties: closed({ latitude: coordinate, longitude: coordinate }) },
    { required: names, unevaluatedProperties: one(false) },
  ),
  attachments: property(
    { type: one('array'), items: closed({ type: one('string'), format: one('uri') }) },
    { uniqueItems: flag, unevaluatedItems: one(false), ...size },
  ),
  collection: property(
    {
      type: one('array'),
      unevaluatedItems: one(false),
      items: closed(
        { type: one('object'), properties: (value, path) => properties(true)(value, path) },
        { required: names, unevaluatedProperties: one(false) },
      ),
    },
    size,
  ),
};

/** Properties of the form, at its root or in a conditional section (site contract, section 5.1). */
const formProperties: Check = properties(false);

/** Names of properties that must be filled in, each once. */
const requiredNames: Check = names;

/** Keywords of the condition of a conditional section; unknown ones are refused. */
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

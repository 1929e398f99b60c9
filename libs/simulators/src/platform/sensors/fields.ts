import { isObject } from '../../json.ts';

/** A problem of one field, as the platform words it; undefined when it is fine. */
export type FieldCheck = (value: unknown) => string | undefined;

/** A check that also accepts another name of the field. */
export interface Field {
  readonly name: string;
  readonly alias?: string;
  readonly required?: boolean;
  readonly check: FieldCheck;
}

/** Members that may be absent. */
export const optional = (names: readonly string[], check: FieldCheck): Field[] =>
  names.map((name) => ({ name, check }));

/** A member that must be there, maybe under another name. */
export const required = (name: string, check: FieldCheck, alias?: string): Field => ({
  name,
  check,
  required: true,
  ...(alias === undefined ? {} : { alias }),
});

const notNull =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === null ? 'This field may not be null.' : check(value);

/** A string that is not empty. */
export const filled: FieldCheck = notNull((value) => {
  if (typeof value !== 'string') return 'Not a valid string.';
  return value === '' ? 'This field may not be blank.' : undefined;
});

/** A string, empty or not. */
export const text: FieldCheck = notNull((value) => (typeof value === 'string' ? undefined : 'Not a valid string.'));

/** An object of any shape. */
export const object: FieldCheck = notNull((value) => (isObject(value) ? undefined : 'Expected a dictionary.'));

/** A whole number. */
export const integer: FieldCheck = notNull((value) =>
  Number.isInteger(value) ? undefined : 'A valid integer is required.',
);

/** A list of strings that are not empty. */
export const strings: FieldCheck = notNull((value) => {
  if (!Array.isArray(value)) return 'Expected a list of items.';
  return value.every((item) => filled(item) === undefined) ? undefined : 'Not a valid string.';
});

const timeForm = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6}\d*)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 date and time. */
export const time: FieldCheck = notNull((value) =>
  typeof value === 'string' && timeForm.test(value) && Number.isFinite(Date.parse(value))
    ? undefined
    : 'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
);

const coordinate = (value: unknown, limit: number, what: string): string | undefined => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return `A valid ${what} is required.`;
  return Math.abs(value) <= limit ? undefined : `Ensure that ${what} is within -${limit} and ${limit}.`;
};

/** A pair of coordinates under the names that the kind of item uses. */
export const position = (latitude: string, longitude: string): FieldCheck =>
  notNull((value) => {
    if (!isObject(value)) return 'Expected a dictionary.';
    return coordinate(value[latitude], 90, latitude) ?? coordinate(value[longitude], 180, longitude);
  });

/** A check that lets null pass. */
export const orNull =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === null ? undefined : check(value);

/** A UUID as text, in any case of letters. */
export const uuid: FieldCheck = notNull((value) =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
    ? undefined
    : 'Must be a valid UUID.',
);

/** An ISO 8601 date and time with a zone. */
export const zonedTime: FieldCheck = (value) =>
  time(value) ?? (/(Z|[+-]\d{2}:?\d{2})$/.test(String(value)) ? undefined : 'Datetime has no zone.');

/** One of a few values. */
export const oneOf =
  (...values: readonly unknown[]): FieldCheck =>
  (value) =>
    values.includes(value) ? undefined : `"${String(value)}" is not a valid choice.`;

/** A list of anything. */
export const list: FieldCheck = notNull((value) => (Array.isArray(value) ? undefined : 'Expected a list of items.'));

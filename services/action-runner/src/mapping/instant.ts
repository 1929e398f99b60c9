import { isExactNumber, isObject, numberText } from '@ranger-relay/errors';
import { readNumber } from '@ranger-relay/runtime';

/** A JSON object from outside. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns a non-blank text; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Reads an id as the site writes it: a text, a number of any size, or a record with an id. */
export const idOf = (value: unknown): string | undefined => {
  if (isExactNumber(value)) return numberText(value);
  return isObject(value) ? idOf(value['id']) : textOf(value);
};

const degrees = (value: unknown, most: number): number | null | undefined => {
  const number = readNumber(value);
  return typeof number === 'number' && Math.abs(number) > most ? undefined : number;
};

/** Reads a place as the site writes it. Null when there is none, undefined when it cannot be read, so that the caller tells the two apart. */
export const readLocation = (value: unknown): { readonly lat: number; readonly lon: number } | null | undefined => {
  if (value === null || value === undefined) return null;
  if (!isObject(value)) return undefined;
  const [lat, lon] = [degrees(value['latitude'], 90), degrees(value['longitude'], 180)];
  if (lat === null && lon === null) return null;
  return typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : undefined;
};

/** Reads a list that is complete or a page; `more` when the page is not the last. Empty for any other payload. */
export const readList = (payload: unknown): { readonly rows: readonly unknown[]; readonly more: boolean } => {
  if (Array.isArray(payload)) return { rows: payload as unknown[], more: false };
  const results = isObject(payload) ? payload['results'] : undefined;
  if (!isObject(payload) || !Array.isArray(results)) return { rows: [], more: false };
  return { rows: results as unknown[], more: textOf(payload['next']) !== undefined };
};

const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const minuteMs = 60_000;
const maxOffsetMinutes = 14 * 60;

/** Minutes east of UTC; without an offset it is UTC. Undefined for an impossible offset. */
const offsetOf = (text: string | undefined): number | undefined => {
  if (text === undefined || /^z$/i.test(text)) return 0;
  const digits = text.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || '0')];
  const offset = (hours * 60 + minutes) * (text.startsWith('-') ? -1 : 1);
  return minutes < 60 && Math.abs(offset) <= maxOffsetMinutes ? offset : undefined;
};

/** UTC midnight of a date; undefined for an invalid date, which Date.UTC would move on, such as a 30th of February. */
const midnightOf = (year: number, month: number, day: number): number | undefined => {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : undefined;
};

/**
 * Reads an ISO 8601 instant in ms since 1970; finer digits are truncated. Without an offset it is UTC, whatever the local time zone; a date
 * alone is its first instant. Undefined for anything else.
 */
export const readInstant = (value: unknown): number | undefined => {
  const parts = typeof value === 'string' ? form.exec(value.trim()) : null;
  if (!parts) return undefined;
  const number = (index: number): number => Number(parts[index] ?? '0');
  const midnight = midnightOf(number(1), number(2), number(3));
  const offset = offsetOf(parts[8]);
  // A leap second counts as the next second.
  if (midnight === undefined || offset === undefined || number(4) > 23 || number(5) > 59 || number(6) > 60)
    return undefined;
  const ms = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  return midnight + (number(4) * 60 + number(5) - offset) * minuteMs + number(6) * 1_000 + ms;
};

/** Whether a text contains its own offset, so that every reader interprets it as the same instant. */
export const namesOffset = (text: string): boolean => /[T ].*(?:Z|[+-]\d{2}(?::?\d{2})?)$/i.test(text.trim());

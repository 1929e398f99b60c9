import type { Clock } from './clock.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`. */
const dayFirst =
  /^[a-z]{3,9}, (?<day>\d{1,2})[ -](?<month>[a-z]{3})[ -](?<year>\d{4}|\d{2}) (?<time>\d\d:\d\d:\d\d)(?: (?:gmt|utc|[+-]0000))?$/i;
/** `Sun Nov  6 08:49:37 1994`, the form of asctime, which names no zone and means GMT. */
const monthFirst =
  /^[a-z]{3,9} (?<month>[a-z]{3}) {1,2}(?<day>\d{1,2}) (?<time>\d\d:\d\d:\d\d) (?:gmt |utc )?(?<year>\d{4})$/i;

/** A year of two digits is one of 1970 to 2069. */
const yearOf = (digits: string): number => {
  const year = Number(digits);
  return digits.length === 4 ? year : year + (year < 70 ? 2000 : 1900);
};

/** Reads a date of HTTP in any of its three forms (RFC 9110, 5.6.7), whatever the time zone of the process; ms since 1970. */
export const parseHttpDate = (text: string | undefined): number | undefined => {
  const parts = (dayFirst.exec(text ?? '') ?? monthFirst.exec(text ?? ''))?.groups;
  const month = months.indexOf(parts?.['month']?.toLowerCase() ?? '');
  if (!parts || month < 0) return undefined;
  const [hour = 0, minute = 0, second = 0] = (parts['time'] ?? '').split(':').map(Number);
  return Date.UTC(yearOf(parts['year'] ?? ''), month, Number(parts['day']), hour, minute, second);
};

/** Longest wait that a server may request. */
export const maxRetryAfterMs = 3_600_000;

/** Reads a Retry-After header, in seconds (of which a part counts as a whole one) or as a date, to ms; undefined when it is neither. */
export const parseRetryAfter = (header: string | undefined, clock: Pick<Clock, 'now'>): number | undefined => {
  const text = header?.trim() ?? '';
  const at = parseHttpDate(text);
  const waitMs = at === undefined ? Math.ceil(Number(text)) * 1_000 : at - clock.now();
  return at !== undefined || /^\d+(?:\.\d*)?$/.test(text) ? Math.min(Math.max(0, waitMs), maxRetryAfterMs) : undefined;
};

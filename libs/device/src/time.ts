/** The meaning of a `timeStamp` (device contract, section 1, bad fix or sentinel). */
export type EventTime =
  | { readonly kind: 'ok'; readonly ms: number }
  | { readonly kind: 'missing' }
  /** Year 1: the vendor's heartbeat or test button. */
  | { readonly kind: 'sentinel' }
  /** Unreadable, before 2011 or more than a day ahead. */
  | { readonly kind: 'bad' };

/** The earliest time that a device or text can have, ms since 1970. */
export const earliest = Date.UTC(2011, 0, 1);
const aheadMs = 86_400_000;
const yearOneStart = -62_135_596_800_000;
const yearTwoStart = -62_104_060_800_000;

const missing: EventTime = { kind: 'missing' };
const sentinel: EventTime = { kind: 'sentinel' };
const bad: EventTime = { kind: 'bad' };

const iso =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[Tt ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,12}))?)?)?)? ?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** Parses an ISO 8601 text to milliseconds, as UTC when it has no zone; undefined when it is not ISO 8601. */
export const parseIso = (text: string): number | undefined => {
  const match = iso.exec(text);
  if (!match) return undefined;
  const number = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4), number(5), number(6)];
  const fraction = Math.trunc(Number(`0.${match[7] ?? '0'}`) * 1000);
  const offsetMinutes = (match[8] === '-' ? -1 : 1) * (number(9) * 60 + number(10));
  if (hour > 23 || minute > 59 || second > 60 || number(9) > 23 || number(10) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute, second, fraction) - offsetMinutes * 60_000;
};

const parseText = (text: string): number | undefined => (/^-?\d{1,17}$/.test(text) ? Number(text) : parseIso(text));

const judge = (ms: number, now: number): EventTime => {
  if (ms >= yearOneStart && ms < yearTwoStart) return sentinel;
  return ms >= earliest && ms <= now + aheadMs ? { kind: 'ok', ms } : bad;
};

/**
 * Parses a `timeStamp` as the vendor sends it: milliseconds as a number or digits, or ISO 8601.
 * @param now the latest time that is known to have passed, ms since 1970
 */
export const readTime = (value: unknown, now: number): EventTime => {
  if (value === undefined || value === null) return missing;
  if (typeof value === 'number') return Number.isFinite(value) ? judge(Math.trunc(value), now) : bad;
  if (typeof value !== 'string') return bad;
  const text = value.length > 64 ? value.slice(0, 64) : value.trim();
  if (text === '') return missing;
  if (text.startsWith('0001-')) return sentinel;
  const ms = parseText(text);
  return ms === undefined || Number.isNaN(ms) ? bad : judge(ms, now);
};

/** Formats ISO 8601 in UTC with `Z`, with milliseconds only when they are not zero. */
export const isoTime = (ms: number): string => {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
};

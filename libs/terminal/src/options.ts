import { InvalidArgumentError } from 'commander';

const unitMs = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const isUnit = (unit: string): unit is keyof typeof unitMs => Object.hasOwn(unitMs, unit);

/** Parses `30s`, `1.5h` or `500ms` to milliseconds; undefined for any other text. */
const durationOf = (text: string): number | undefined => {
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)$/.exec(text.trim()) ?? [];
  return isUnit(unit) ? Number(amount) * unitMs[unit] : undefined;
};

/** Parses a duration to milliseconds. @throws InvalidArgumentError */
export const durationOption = (text: string): number => {
  const ms = durationOf(text);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('Expected a span like 500ms, 30s, 10m, 2h or 1d.');
  return ms;
};

/**
 * Parses an instant to ms since 1970: a duration before `now`, or an ISO time.
 * @throws InvalidArgumentError
 */
export const momentOption =
  (now: () => number) =>
  (text: string): number => {
    const ms = durationOf(text);
    if (ms !== undefined) return now() - ms;
    const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at))
      throw new InvalidArgumentError('Expected a span like 30m or 2h, or a time like 2026-01-31T08:00:00Z.');
    return at;
  };

/** Parser of an option, with its bounds for generated help and manifests. */
export interface BoundedOption {
  (text: string): number;
  readonly min: number;
  readonly max: number;
}

/** Parses an integer within bounds. @throws InvalidArgumentError */
export const wholeOption = (min: number, max: number): BoundedOption => {
  const read = (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    return value;
  };
  return Object.assign(read, { min, max });
};

/** Parses a positive number up to a bound. @throws InvalidArgumentError */
export const rateOption =
  (max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value > 0 && value <= max)) throw new InvalidArgumentError(`Expected a number over 0, at most ${max}.`);
    return value;
  };

/** Parses a percentage, with or without `%`, to a share from 0 to 1. @throws InvalidArgumentError */
export const percentOption = (text: string): number => {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,6})?)\s*%?$/.exec(text.trim()) ?? [];
  const value = digits === undefined ? Number.NaN : Number(digits);
  if (!(value <= 100)) throw new InvalidArgumentError('Expected a percentage from 0 to 100.');
  return value / 100;
};

/** Parses an http(s) address. @throws InvalidArgumentError */
export const addressOption = (text: string): string => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Expected an address like http://127.0.0.1:8081/webhooks.');
  return url.href;
};

import { earliest, parseIso } from '../time.ts';

/** What the `Timestamp` of a text says. */
export type Moment = { readonly ms: number } | { readonly problem: string };

const longest = 64;
/** .NET may append a zone, which changes only how the moment is shown. */
const dotNet = /^\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\/$/;

const parse = (text: string): number | undefined => {
  const digits = dotNet.exec(text)?.[1];
  return digits === undefined ? parseIso(text) : Number(digits);
};

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Reads a `Timestamp` (device contract, sections 5 and 7): `/Date(ms)/`, or ISO 8601 with a blank or a `T`. Missing is `now`, and so is the
 * future, which the vendor refuses.
 * @param now ms since 1970
 */
export const readMoment = (value: unknown, now: number): Moment => {
  if (isMissing(value)) return { ms: now };
  const ms = typeof value === 'string' && value.length <= longest ? parse(value.trim()) : undefined;
  if (ms === undefined) return { problem: 'is neither /Date(ms)/ nor ISO 8601' };
  return ms < earliest ? { problem: 'is before 2011' } : { ms: Math.min(ms, now) };
};

/** The form that the vendor takes. */
export const writeMoment = (ms: number): string => `/Date(${Math.trunc(ms)})/`;

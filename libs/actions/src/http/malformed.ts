import type { z } from 'zod';

/** One thing that is wrong with a request, in the form that callers of the platform know. */
export interface Detail {
  /** Where: `body`, then members from the outside to the inside. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** What is wrong, in one sentence. */
export const sentenceOfDetails = (detail: readonly Detail[]): string =>
  detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');

/** A part of a request that was read, or what is wrong with it. */
export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: readonly Detail[] };

/** Good. */
export const ok = <T>(value: T): Read<T> => ({ ok: true, value });

/** One problem. */
export const bad = (loc: Detail['loc'], msg: string, type: string): Read<never> => ({
  ok: false,
  detail: [{ loc, msg, type }],
});

const maxDetails = 20;

const at = (value: unknown, path: readonly PropertyKey[]): unknown => {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<PropertyKey, unknown>)[key];
  }
  return here;
};

const detailOf = (value: unknown, loc: Detail['loc'], issue: z.core.$ZodIssue): Detail => {
  const missing = issue.path.length > 0 && at(value, issue.path) === undefined;
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  return {
    loc: [...loc, ...path],
    msg: missing ? 'Field required' : issue.message,
    type: missing ? 'missing' : issue.code,
  };
};

/** Reads a value by a schema. */
export const readAs = <T>(schema: z.ZodType<T, unknown>, value: unknown, loc: Detail['loc']): Read<T> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return { ok: false, detail: parsed.error.issues.slice(0, maxDetails).map((issue) => detailOf(value, loc, issue)) };
};

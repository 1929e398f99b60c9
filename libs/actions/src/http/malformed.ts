import type { z } from 'zod';

/** One validation problem of a request, in the format that callers of the platform know. */
export interface Detail {
  /** Location: `body`, then the members from the outermost to the innermost. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Formats the problems as one sentence. */
export const sentenceOfDetails = (detail: readonly Detail[]): string =>
  detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');

/** A parsed part of a request, or its problems. */
export type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: readonly Detail[] };

/** Creates a successful result. */
export const ok = <T>(value: T): Read<T> => ({ ok: true, value });

/** Creates a result with one problem. */
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

/** Parses a value with a schema. */
export const readAs = <T>(schema: z.ZodType<T, unknown>, value: unknown, loc: Detail['loc']): Read<T> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return { ok: false, detail: parsed.error.issues.slice(0, maxDetails).map((issue) => detailOf(value, loc, issue)) };
};

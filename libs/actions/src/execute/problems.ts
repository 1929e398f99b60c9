import type { z } from 'zod';

/** One validation problem: the location and the expected form, never the actual value. */
export interface Problem {
  /** Members from the outermost to the innermost, joined by dots; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

const maxProblems = 20;

/** The problems of a value; undefined when it is valid, together with the parsed value. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly Problem[] };

/** Parses a value with a model. A model that throws counts as a problem of the value. */
export const check = (model: z.ZodType, value: unknown): Checked => {
  try {
    const parsed = model.safeParse(value);
    if (parsed.success) return { value: parsed.data };
    const problems = parsed.error.issues
      .slice(0, maxProblems)
      .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
    return { problems };
  } catch {
    return { problems: [{ path: '', message: 'cannot be checked against its model' }] };
  }
};

/** Formats problems as one sentence. */
export const sentenceOf = (problems: readonly Problem[]): string =>
  problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');

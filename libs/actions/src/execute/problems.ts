import type { z } from 'zod';

/** One thing that does not fit a model: where, and what should be there. Never the value that is there. */
export interface Problem {
  /** Members from the outside to the inside, joined by dots; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

const maxProblems = 20;

/** What a value does not fit in; undefined when it fits, with what was read of it. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly Problem[] };

/** Reads a value by a model. A model that throws is a problem of the value, never a crash. */
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

/** Problems in one sentence. */
export const sentenceOf = (problems: readonly Problem[]): string =>
  problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');

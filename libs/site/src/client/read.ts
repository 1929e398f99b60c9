import { z } from 'zod';
import { numberText } from '../exact-json.ts';
import { unreadable } from './failure.ts';

const numberSchema = z.unknown().refine((value) => /^\d+$/.test(numberText(value)));

/** An id as text; some sites use numbers as ids. */
export const idText = z.union([z.string().min(1), numberSchema]).transform(numberText);

/** An optional text. */
export const looseText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** A flag that defaults to true. */
export const activeFlag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? true);

/**
 * Parses a value with a schema; members that the schema does not name are ignored.
 * @throws RelayError `site_answer_unreadable` naming the member and never its value
 */
export const read = <T>(schema: z.ZodType<T>, value: unknown, target: string): T => {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [issue] = error.issues;
  const place = issue?.path.map(String).join('.') || 'the whole';
  throw unreadable(target, `${place}: ${issue?.message ?? 'not as expected'}`);
};

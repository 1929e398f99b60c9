import { z } from 'zod';
import type { Kind } from './kinds.ts';

/** What the text of a value must be, as JSON Schema says it: for files and forms outside this process. */
export interface TextForm {
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Bounds of a number that is written as text. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The form of a kind's text. What fits it is taken by the kind. */
export const textForm = ({ schema }: Kind<unknown>): TextForm => {
  const { pattern, enum: words, minLength, maxLength, minimum, maximum } = z.toJSONSchema(schema, { io: 'input' });
  const all = { pattern, enum: words, minLength, maxLength, minimum, maximum };
  return Object.fromEntries(Object.entries(all).filter(([, rule]) => rule !== undefined));
};

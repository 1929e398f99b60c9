// @ts-expect-error the client publishes no types for its inner parts
import { createErrorFromCode } from 'kafkajs/src/protocol/error.js';

/** Protocol error codes that the adapter tells apart. */
export const codes = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  messageTooLarge: 10,
  recordListTooLarge: 18,
} as const;

/** What the protocol says about a code: its name, its text, and whether trying again can help. */
export interface CodeFacts {
  readonly type: string;
  readonly message: string;
  readonly retriable: boolean;
}

/** Facts of one error code. */
export const factsOf = (code: number): CodeFacts => {
  const { type, message, retriable } = createErrorFromCode(code) as CodeFacts;
  return { type, message, retriable };
};

import { isExactNumber, numberText } from '@ranger-relay/errors';

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** More characters than any number needs; a longer text is not searched. */
const maxLength = 100;

/**
 * Reads a number from outside: a JSON number, also of {@link parseExactJson}, or a decimal text of one, which gateways make of it. Null when
 * there is none (null or missing), undefined when it cannot be read, so that the caller has to tell the two apart.
 */
export const readNumber = (value: unknown): number | null | undefined => {
  if (value === null || value === undefined) return null;
  const written = typeof value === 'object' && isExactNumber(value) ? numberText(value) : value;
  const text = typeof written === 'string' && written.length <= maxLength ? written.trim() : '';
  const number = decimal.test(text) ? Number(text) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

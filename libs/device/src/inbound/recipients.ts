import { cleanText } from '@ranger-relay/errors';
import { isObject } from '../payload.ts';

const longest = 64;

const nameOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? '');
  return cleanText(text, longest);
};

/**
 * The recipients of a transformed message, each once, in order; undefined when it has no list of them. Numbers become digits; what is no
 * device stays as a short text, so that it can be named in what becomes of it.
 */
export const readRecipients = (payload: unknown): string[] | undefined => {
  const list = isObject(payload) ? payload['Recipients'] : undefined;
  return Array.isArray(list) ? [...new Set(list.map(nameOf))] : undefined;
};

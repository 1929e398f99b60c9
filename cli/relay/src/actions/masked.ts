import { mask, redact, redactText } from '@ranger-relay/runtime';

const maxDepth = 64;

const hides = (key: string, value: unknown): boolean =>
  value !== null && typeof value !== 'boolean' && redact({ [key]: 'x' })[key] === mask;

/** A whole copy of JSON without secrets: members whose names say so, and user info and queries of addresses. Nothing is left out. */
export const masked = (value: unknown, depth = maxDepth): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => masked(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, hides(key, item) ? mask : masked(item, depth - 1)]),
  );
};

import { redact } from '@ranger-relay/runtime';
import { printable, printableJson } from '@ranger-relay/terminal';

const longest = 160;

/** A value from outside on one short line, without secrets. */
export const brief = (value: unknown): string => {
  const clean = redact(value, longest);
  const text = typeof clean === 'string' ? printable(clean) : printableJson(clean ?? null);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

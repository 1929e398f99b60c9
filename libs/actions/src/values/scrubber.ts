import { cleanText, escapedText } from '@ranger-relay/errors';
import { mask, redact, redactText } from '@ranger-relay/runtime';
import { safeJson } from './safe-json.ts';

/** Masks known secrets in everything that a run emits. */
export interface Scrubber {
  /** Adds secrets that became known later. */
  add(secrets: readonly string[]): void;
  text(text: string): string;
  /** A JSON copy that masks secrets in texts and names, and the members with secret names. */
  value(value: unknown): unknown;
}

/** Shorter texts are not masked, because they occur as ordinary words. */
const shortest = 4;

const formsOf = (secret: string): string[] => [
  secret,
  cleanText(secret),
  escapedText(secret),
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
];

/** Makes a scrubber. */
export const createScrubber = (): Scrubber => {
  let known: readonly string[] = [];

  const text = (given: string): string => {
    let clean = given;
    for (const secret of known) clean = clean.replaceAll(secret, mask);
    return redactText(clean);
  };

  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), walk(item)]));
  };

  return {
    add(secrets) {
      const long = secrets
        .filter(({ length }) => length >= shortest)
        .flatMap((secret) => formsOf(secret.toWellFormed()));
      known = [...new Set([...known, ...long])].sort((a, b) => b.length - a.length);
    },
    text,
    value: (value) => redact(walk(safeJson(value))),
  };
};

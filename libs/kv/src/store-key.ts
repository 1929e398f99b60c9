import { hash } from 'node:crypto';

/** Longest part that is written out; longer ones are hashed. */
const maxPartLength = 200;

/** What separates parts, marks an escape, or is not the same text in every store. */
const unsafe = /[%.\p{Cc}\p{Cs}]/gu;

const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;

const partOf = (text: string): string => {
  const safe = text.replaceAll(unsafe, escaped);
  // No escape begins with an "s", so a hash never meets a part that is written out.
  return safe.length > maxPartLength ? `%sha256-${hash('sha256', safe)}` : safe;
};

/**
 * The key of an entry: `name.part.part`. Every id from outside is a part of its own, beside whom it belongs to (platform contract, state and
 * cache keys). Different parts never make the same key, whatever is in them.
 */
export const storeKey = (name: string, ...parts: readonly string[]): string => [name, ...parts.map(partOf)].join('.');

const shown = 60;

// Control characters move the cursor; direction marks reorder what is read; line breaks would tear a problem apart.
const unsafe = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

const escape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;

/** A text from a bundle as a message shows it: in quotes, on one line, harmless for a terminal, cut. */
export const quote = (text: string): string => {
  const cut = text.length > shown ? `${text.slice(0, shown).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  return `"${cut.replaceAll(unsafe, escape)}"`;
};

/** A value of JSON as a message shows it behind "it is". Not for texts that people wrote: messages do not repeat those. */
export const describe = (value: unknown): string => {
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quote(value)}`;
  return Array.isArray(value) ? 'a list' : 'an object';
};

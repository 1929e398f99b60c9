// Control characters move the cursor or change colours; direction marks reorder what is read.
const unsafe = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

const escape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;

/** A text from outside made harmless for a terminal, on one line: control characters are shown, not obeyed. */
export const printable = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ').replaceAll(unsafe, escape);

/** As `printable`, but line breaks and tabs stay. */
export const printableText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(printable).join('  '))
    .join('\n');

/** JSON that is harmless for a terminal: every control and direction character is escaped as JSON does it. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g,
    (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

import { UuidWords } from './uuid-words.ts';

const words = new UuidWords();

/** A uuid in its canonical spelling, 32 lower-case hex digits; null when the text is none, or all zero (bundle contract, 2). */
export const canonicalUuid = (text: string): string | null => (words.read(text) ? words.text() : null);

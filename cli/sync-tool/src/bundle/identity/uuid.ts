import { UuidWords } from './uuid-words.ts';

const words = new UuidWords();

const canonicalForm = /^[0-9a-f]{32}$/;

/** A uuid in its canonical spelling, 32 lower-case hex digits; null when the text is none, or all zero (bundle contract, 2). */
export const canonicalUuid = (text: string): string | null => {
  if (!words.read(text)) return null;
  return canonicalForm.test(text) ? text : words.text();
};

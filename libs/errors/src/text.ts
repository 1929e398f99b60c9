import { isExactNumber, parseExactJson } from './exact-json.ts';

/** C0 controls except tab and line feed, and unpaired surrogates: databases refuse them, together with the whole list that contains them. */
const refused = /\r\n?|[^\P{Cc}\t\n\x7F-\x9F]|\p{Cs}/gu;

/** What every refused character is among. Most texts have none, and this is told many times faster. */
const maybeRefused = /[^\t\n -~\u00A0-\uD7FF\uE000-\uFFFF]/;

const replacementOf = (found: string): string => {
  if (found.startsWith('\r')) return '\n';
  return found < '\u0020' ? '' : '\uFFFD';
};

/** The first `max` code points of a text, which may be ill-formed. @param end replaces the last ones when the text is truncated */
export const cutText = (text: string, max: number, end = ''): string => {
  if (text.length <= max) return text;
  let points = 0;
  let units = 0;
  let kept = 0;
  for (const character of text) {
    if (points <= max - end.length) kept = units;
    if (points === max) return text.slice(0, kept) + end;
    points++;
    units += character.length;
  }
  return text;
};

const escapeOf = (found: string): string =>
  found.startsWith('\r\n') ? '\n' : `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`;

/** A text for users that shows characters refused by databases as escapes. */
export const escapedText = (text: string): string => text.replaceAll(refused, escapeOf);

/** Cleans an external text for any database: well-formed, line feeds at line ends, no other control except tab, at most `max` code points. */
export const cleanText = (text: string, max = Infinity): string =>
  cutText(maybeRefused.test(text) ? text.replaceAll(refused, replacementOf) : text, max);

const isClean = (part: unknown): boolean => {
  if (typeof part === 'string') return !maybeRefused.test(part);
  if (typeof part !== 'object' || part === null) return true;
  if (Array.isArray(part)) return part.every(isClean);
  return Object.keys(part).every((name) => isClean(name) && isClean((part as Record<string, unknown>)[name]));
};

/** Cleans every text and every name in a JSON value; gives the value itself when it is clean. */
export const cleanTexts = <T>(value: T): T => {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return cleanText(part);
    if (typeof part !== 'object' || part === null || isExactNumber(part)) return part;
    if (Array.isArray(part)) return part.map(clean);
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [cleanText(name), clean(member)]));
  };
  return isClean(value) ? value : (clean(value) as T);
};

/** The JSON escapes of refused characters; a backslash in the text itself may look like one. */
const suspect = /\\(?:[bfr]|u00|ud)/;

/** Serializes a value with every text and every name clean, for a record. */
export const cleanJson = (value: object): string => {
  const json = JSON.stringify(value);
  return suspect.test(json) ? JSON.stringify(cleanTexts(parseExactJson(json))) : json;
};

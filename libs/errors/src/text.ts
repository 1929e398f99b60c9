/** C0 controls but tab and line feed, and halves of surrogate pairs: databases refuse them, and with them the whole list they are in. */
const refused = /\r\n?|[^\P{Cc}\t\n\x7F-\x9F]|\p{Cs}/gu;

const replacementOf = (found: string): string => {
  if (found.startsWith('\r')) return '\n';
  return found < '\u0020' ? '' : '\uFFFD';
};

/**
 * The first `max` code points of a text, which may be ill-formed.
 * @param end takes the place of the last ones when the text is cut
 */
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

/** A text for people, in which what databases refuse is shown as an escape instead of being dropped. */
export const escapedText = (text: string): string => text.replaceAll(refused, escapeOf);

/** A text from outside as every database takes it: well-formed, lines ended by a line feed, no other control but tab, at most `max` code points. */
export const cleanText = (text: string, max = Infinity): string =>
  cutText(text.replaceAll(refused, replacementOf), max);

/** A value of JSON in which every text and every name is clean. */
export const cleanTexts = <T>(value: T): T => {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return cleanText(part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(clean);
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [cleanText(name), clean(member)]));
  };
  return clean(value) as T;
};

/** How JSON writes what is refused; a backslash of the text itself may look like it. */
const suspect = /\\(?:[bfr]|u00|ud)/;

/** JSON of a value with every text and every name clean: what goes onto a topic. */
export const cleanJson = (value: object): string => {
  const json = JSON.stringify(value);
  return suspect.test(json) ? JSON.stringify(cleanTexts(JSON.parse(json))) : json;
};

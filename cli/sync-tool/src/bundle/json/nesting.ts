/** Deepest nesting of a record or manifest (bundle contract, 5). */
export const nestingLimit = 64;

const hasMoreThan = (text: string, character: string, limit: number): boolean => {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
};

/** Behind the text in quotes that begins here. */
const behindString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) at += 1;
  }
  return text.length;
};

const depthExceeds = (text: string, limit: number): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) depth -= 1;
    if (depth > limit) return true;
    at = code === 34 ? behindString(text, at) : at + 1;
  }
  return false;
};

/** Whether a JSON text nests deeper than records may. One with few brackets cannot, and counting those is cheap. */
export const nestsTooDeep = (text: string): boolean =>
  (hasMoreThan(text, '{', nestingLimit / 2) || hasMoreThan(text, '[', nestingLimit / 2)) &&
  depthExceeds(text, nestingLimit);

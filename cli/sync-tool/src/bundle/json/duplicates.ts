const nameEnd = '":';

const countOf = (text: string, part: string): number => {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
};

const membersIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += membersIn(item);
  else {
    const names = Object.keys(value);
    count = names.length;
    for (const name of names) count += membersIn((value as Record<string, unknown>)[name]);
  }
  return count;
};

/**
 * Whether a member may stand twice in an object of a JSON text, told from how many names the text and its value have. Unusual spelling makes
 * it true without need, so that a walk has to decide.
 */
export const mayHaveDuplicates = (text: string, value: unknown): boolean =>
  /"[ \t\r\n]/.test(text) || countOf(text, nameEnd) !== membersIn(value);

/** @param {string} name */
const markers = (name) => ({ start: `<!-- generated: ${name} -->`, end: `<!-- end: ${name} -->` });

/**
 * Puts a text between the two markers of a section.
 * @param {string} document @param {string} name of the section @param {string} text Markdown
 * @returns {string}
 * @throws when the document does not have each marker once, in order
 */
export const withSection = (document, name, text) => {
  const { start, end } = markers(name);
  const [before = '', rest, ...more] = document.split(start);
  const [, after, ...evenMore] = rest?.split(end) ?? [];
  if (after === undefined || more.length > 0 || evenMore.length > 0)
    throw new Error(`the document must have "${start}" and "${end}" once each, in this order`);
  return `${before}${start}\n\n${text.trim()}\n\n${end}${after}`;
};

/** One Markdown table. @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`)
    .join('\n');

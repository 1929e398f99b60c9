/**
 * What a package of ARCHITECTURE.md may import, as folders (`libs/errors`).
 * @typedef {Map<string, ReadonlySet<string>>} Packages
 */

const row = /^\|\s*`([^`]+)`\s*\|.*\|\s*([^|]+?)\s*\|\s*$/;

/** The rows of the table under `## Packages`: folder and the words of its last column. @param {string} markdown */
const rowsOf = (markdown) => {
  const section = markdown.split(/^## /m).find((part) => part.startsWith('Packages'));
  if (section === undefined) throw new Error('ARCHITECTURE.md has no section "Packages"');
  return section.split('\n').flatMap((line) => {
    const match = row.exec(line);
    return match ? [{ folder: match[1] ?? '', words: match[2] ?? '' }] : [];
  });
};

/** @param {string} word @param {readonly string[]} folders @param {string} folder */
const named = (word, folders, folder) => {
  if (word === 'libs' || word === 'services') return folders.filter((other) => other.startsWith(`${word}/`));
  const found = folders.filter((other) => other.split('/').at(-1) === word);
  if (found.length !== 1) throw new Error(`ARCHITECTURE.md: the row of ${folder} names "${word}", which is no package`);
  return found;
};

/** `libs, except simulators` → the folders it means. @param {string} words @param {readonly string[]} folders @param {string} folder */
const allowed = (words, folders, folder) => {
  if (words === 'nothing') return new Set();
  const [plus = '', minus = ''] = words.split(/,?\s*\bexcept\b/);
  const foldersOf = (/** @type {string} */ list) =>
    list
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean)
      .flatMap((word) => named(word, folders, folder));
  const without = new Set(foldersOf(minus));
  return new Set(foldersOf(plus).filter((other) => other !== folder && !without.has(other)));
};

/**
 * Reads the packages table.
 * @param {string} markdown content of ARCHITECTURE.md
 * @returns {Packages}
 * @throws when the table is missing, or a row names what is no package
 */
export const parsePackages = (markdown) => {
  const rows = rowsOf(markdown);
  if (rows.length === 0) throw new Error('ARCHITECTURE.md: the table of packages is empty');
  const folders = rows.map(({ folder }) => folder);
  return new Map(rows.map(({ folder, words }) => [folder, allowed(words, folders, folder)]));
};

/** @typedef {import('./tree.mjs').SourceFile} SourceFile */

const maxLines = 400;
/** What `run.mjs` loads must work before anything is installed. */
const bootstrap = /^(scripts\/run\.mjs|scripts\/run\/[^/]+(?<!\.test)\.mjs|cli\/[^/]+\/bin\/[^/]+(?<!\.test)\.mjs)$/;

/** @param {string} path */
const mayExit = (path) => /(^|\/)main(-\w+)?\.ts$/.test(path) || path.startsWith('scripts/') || /\/bin\//.test(path);

/**
 * Breaches of the rules about single files, one sentence each.
 * @param {SourceFile} file
 * @returns {string[]}
 */
export const structureProblems = ({ path, lines, specifiers, exits, looseTests }) => {
  const foreign = bootstrap.test(path)
    ? specifiers.filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    : [];
  return [
    ...(lines > maxLines ? [`${path}: ${lines} lines, at most ${maxLines}`] : []),
    ...(exits && !mayExit(path) ? [`${path}: process.exit is for main.ts alone`] : []),
    ...(looseTests && path.endsWith('.e2e.ts') ? [`${path}: scenarios share a world; each is a test.serial`] : []),
    ...foreign.map((specifier) => `${path}: "${specifier}" may not be there yet when nothing is installed`),
  ];
};

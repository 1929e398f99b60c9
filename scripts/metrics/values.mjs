import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const isSource = (/** @type {string} */ path) =>
  /\/src\//.test(path) &&
  path.endsWith('.ts') &&
  !path.endsWith('.test.ts') &&
  !/\/(test|testing|dist|node_modules)\//.test(path);

/**
 * Says whether a text stands in the sources of libraries, services or commands as a literal or as a key, which is where label values come from.
 * @param {string} root
 * @returns {import('./check.mjs').IsValue}
 */
export const valuesOfTheSources = (root) => {
  const files = ['libs', 'services', 'cli'].flatMap((group) =>
    readdirSync(join(root, group), { recursive: true, encoding: 'utf8' }).map((path) => `${group}/${path}`),
  );
  const text = files
    .filter(isSource)
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  return (value) => text.includes(`'${value}'`) || text.includes(`\n  ${value}: {`);
};

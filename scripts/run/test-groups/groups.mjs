import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** Test files that share a process, at most. */
const maxFiles = 16;

/** The package of a file. @param {string} file */
const packageOf = (file) => (file.startsWith('scripts/') ? 'scripts' : file.split('/').slice(0, 2).join('/'));

/**
 * Divides test files into groups of neighbours of a package.
 * @param {readonly string[]} files
 * @returns {string[][]}
 */
export const groupsOf = (files) =>
  [...Map.groupBy([...files].sort(), packageOf).values()].flatMap((all) => {
    const count = Math.ceil(all.length / maxFiles);
    return Array.from({ length: count }, (_, n) => all.slice((n * all.length) / count, ((n + 1) * all.length) / count));
  });

/**
 * Writes one entry for each group, which imports the test files of the group.
 * @param {{ root: string, folder: string, patterns: readonly string[], paths: readonly string[] }} options `folder` is where the entries go, `paths` chooses among what matches; none chooses all
 * @returns {string} a pattern that matches the entries
 */
export const writeGroups = ({ root, folder, patterns, paths }) => {
  const chosen = paths.map((path) => posix.normalize(path).replace(/\/$/, ''));
  const files = globSync([...patterns], { cwd: root })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => chosen.length === 0 || chosen.some((path) => file === path || file.startsWith(`${path}/`)));
  mkdirSync(join(root, folder), { recursive: true });
  const specifier = (/** @type {string} */ file) => JSON.stringify(posix.relative(folder, file));
  groupsOf(files).forEach((group, n) => {
    const lines = [
      ...group.map((file) => `import ${specifier(file)};`),
      `import { declare } from ${specifier('scripts/run/test-groups/turns.mjs')};`,
      'declare();',
    ];
    writeFileSync(join(root, folder, `${n + 1}.test.mjs`), `${lines.join('\n')}\n`);
  });
  return `${folder}/*.test.mjs`;
};

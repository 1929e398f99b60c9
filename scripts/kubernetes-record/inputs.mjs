import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Where the last green run is recorded, from the root. */
export const recordPath = 'e2e/kubernetes/last-green.json';

/** On these files the Kubernetes suites do not depend. All others are their inputs, also those of a new folder. */
const notInputs = [
  // The unit tests and their helpers; the suites use the testing helpers of other libraries.
  /\.test\.(ts|mjs)$/,
  /\/test\//,
  /^libs\/(bus|http|kv)\/src\/testing\//,
  // The scenarios without Kubernetes, the world, and the bench; the suites print their figures as the bench does.
  /^e2e\/src\/.*\.e2e\.ts$/,
  /^e2e\/src\/world\//,
  /^e2e\/src\/bench\/(?!table\.ts$)/,
  // Documents, except those whose commands the suites run.
  /^(?!charts\/|k8s\/|docs\/kubernetes\.md$|UPGRADING\.md$).*\.md$/,
  // Checks of the sources, and what writes the documents.
  /^scripts\/(dashboards|docs|import-rules|metrics)(\/|\.mjs$)/,
  /^(\.git(attributes|ignore)|\.oxlintrc\.json|\.prettier(ignore|rc\.json)|ava\.config\.mjs|knip\.json|turbo\.json)$/,
  // The result of the suites.
  /^e2e\/kubernetes\/last-green\.json$/,
];

/** Whether the Kubernetes suites depend on a file. @param {string} path from the root */
export const isInput = (path) => !notInputs.some((pattern) => pattern.test(path));

/** @param {string} root @param {readonly string[]} args @returns {string} */
const git = (root, args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });

/**
 * A file as git would store it now; undefined for a deleted file and for a folder, which is a repository of its own.
 * @param {string} root @param {string} path
 */
const readEntry = (root, path) => {
  const file = join(root, path);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return undefined;
  if (stat.isSymbolicLink()) return { kind: 'link', content: readlinkSync(file) };
  return { kind: stat.mode & 0o100 ? 'program' : 'file', content: readFileSync(file) };
};

/**
 * A hash over the inputs in the working tree, committed or not.
 * @param {string} root
 * @returns {string} in hexadecimal
 */
export const hashInputs = (root) => {
  const listed = git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0');
  const hash = createHash('sha256');
  for (const path of [...new Set(listed)].filter((each) => each !== '' && isInput(each)).toSorted()) {
    const entry = readEntry(root, path);
    if (entry === undefined) continue;
    const content = createHash('sha256').update(entry.content).digest('hex');
    hash.update(`${entry.kind} ${content} ${path}\0`);
  }
  return hash.digest('hex');
};

/**
 * The commit that is checked out; with `-dirty`, as git marks it, where inputs differ from it.
 * @param {string} root
 */
export const currentCommit = (root) => {
  const changed = git(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'])
    .split('\0')
    .filter((line) => line !== '' && isInput(line.slice('XY '.length)));
  return `${git(root, ['rev-parse', 'HEAD']).trim()}${changed.length > 0 ? '-dirty' : ''}`;
};

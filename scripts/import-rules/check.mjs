import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { parsePackages } from './packages.mjs';

/** @typedef {import('./tree.mjs').Package} Package @typedef {import('./tree.mjs').SourceFile} SourceFile */

/** Tests, and what only tests import, may use the root's tools. @param {string} path */
const isTest = (path) =>
  /\.(test|e2e)\.(ts|mjs)$/.test(path) || /\/(test|testing)\//.test(path) || path.startsWith('e2e/');

/** The package's scripts work on the whole tree with the root's tools. @param {string} path */
const mayUseTools = (path) => isTest(path) || path.startsWith('scripts/');

/** `@scope/name/sub` → `@scope/name`. @param {string} specifier */
const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** @param {Package} unit */
const declaredBy = ({ manifest }) =>
  Object.keys({ ...manifest?.dependencies, ...(manifest?.private ? {} : manifest?.devDependencies) });

/** The launcher, which is packed without the scripts, has what they too need before anything is installed. */
const launcher = 'cli/relay/bin/';

/** A relative import stays inside its package and names the file as it is. @param {Package} unit @param {SourceFile} file @param {string} specifier */
const relativeProblems = (unit, { path }, specifier) => {
  const target = posix.join(posix.dirname(path), specifier);
  const problems = [];
  const isInside = target.startsWith(`${unit.folder}/`) || (unit.folder === 'scripts' && target.startsWith(launcher));
  if (!isInside) problems.push(`${path}: "${specifier}" leaves ${unit.folder}`);
  if (path.endsWith('.ts') && !specifier.endsWith('.ts')) problems.push(`${path}: "${specifier}" must end in .ts`);
  return problems;
};

/**
 * @typedef {{ packages: ReadonlyMap<string, ReadonlySet<string>>, folderOf: ReadonlyMap<string, string>, tools: ReadonlySet<string> }} Law
 */

/** @param {Law} law @param {Package} unit @param {SourceFile} file @param {string} specifier @returns {string[]} */
const specifierProblems = (law, unit, file, specifier) => {
  const { path } = file;
  if (specifier.startsWith('.')) return relativeProblems(unit, file, specifier);
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? [] : [`${path}: write "node:${specifier}"`];
  const name = packageOf(specifier);
  const target = law.folderOf.get(name);
  const problems = [];
  if (target === unit.folder) problems.push(`${path}: imports its own package by name`);
  if (target !== undefined && target !== unit.folder && !law.packages.get(unit.folder)?.has(target))
    problems.push(`${path}: ${unit.folder} may not import ${target}`);
  if (target !== undefined && specifier.endsWith('/testing') && !isTest(path))
    problems.push(`${path}: "${specifier}" is for tests alone`);
  const isDeclared =
    declaredBy(unit).includes(name) || (target === undefined && law.tools.has(name) && mayUseTools(path));
  if (!isDeclared && unit.manifest !== undefined)
    problems.push(`${path}: "${name}" is not in the package's dependencies`);
  if (!isDeclared && unit.manifest === undefined && target === undefined)
    problems.push(`${path}: "${name}" is not in the root's dependencies`);
  return problems;
};

/** The project references follow the imports; what is declared and never imported is for knip. @param {Law} law @param {Package} unit */
const referenceProblems = (law, unit) => {
  if (unit.references === undefined) return [];
  const used = new Set(unit.files.flatMap(({ specifiers }) => specifiers.map(packageOf)));
  const wanted = [...used].flatMap((name) => law.folderOf.get(name) ?? []).filter((folder) => folder !== unit.folder);
  const missing = wanted.filter((folder) => !unit.references?.includes(folder));
  const extra = unit.references.filter((folder) => !wanted.includes(folder));
  return [
    ...missing.map((folder) => `${unit.folder}/tsconfig.json: the reference to ${folder} is missing`),
    ...extra.map((folder) => `${unit.folder}/tsconfig.json: refers to ${folder}, which is not imported`),
  ];
};

/** Rows and folders are the same. @param {Law} law @param {readonly Package[]} present */
const packageProblems = (law, present) => {
  const folders = present.map(({ folder }) => folder);
  return [
    ...folders.filter((folder) => !law.packages.has(folder)).map((folder) => `${folder} has no row in ARCHITECTURE.md`),
    ...[...law.packages.keys()]
      .filter((folder) => !folders.includes(folder))
      .map((folder) => `ARCHITECTURE.md has a row for ${folder}, which does not exist`),
  ];
};

/**
 * Every breach of the import rules in a tree, one sentence each.
 * @param {{ architecture: string, rootManifest: import('./tree.mjs').Manifest, packages: readonly Package[] }} tree
 * @returns {string[]}
 */
export const importProblems = ({ architecture, rootManifest, packages }) => {
  const law = {
    packages: parsePackages(architecture),
    folderOf: new Map(packages.flatMap(({ manifest, folder }) => (manifest?.name ? [[manifest.name, folder]] : []))),
    tools: new Set(Object.keys({ ...rootManifest.dependencies, ...rootManifest.devDependencies })),
  };
  return [
    ...packageProblems(law, packages),
    ...packages.flatMap((unit) => [
      ...unit.files.flatMap((file) =>
        file.specifiers.flatMap((specifier) => specifierProblems(law, unit, file, specifier)),
      ),
      ...referenceProblems(law, unit),
    ]),
  ];
};

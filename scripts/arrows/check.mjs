import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { parseRooms } from './rooms.mjs';

/** @typedef {import('./tree.mjs').Room} Room @typedef {import('./tree.mjs').SourceFile} SourceFile */

/** Tests, and what only tests import, may use the root's tools. @param {string} path */
const isTest = (path) =>
  /\.(test|e2e)\.(ts|mjs)$/.test(path) || /\/(test|testing)\//.test(path) || path.startsWith('e2e/');

/** The room's scripts work on the whole tree with the root's tools. @param {string} path */
const mayUseTools = (path) => isTest(path) || path.startsWith('scripts/');

/** `@scope/name/sub` → `@scope/name`. @param {string} specifier */
const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** @param {Room} room */
const declaredBy = ({ manifest }) =>
  Object.keys({ ...manifest?.dependencies, ...(manifest?.private ? {} : manifest?.devDependencies) });

/** A relative import stays inside its room and names the file as it is. @param {Room} room @param {SourceFile} file @param {string} specifier */
const relativeProblems = (room, { path }, specifier) => {
  const target = posix.join(posix.dirname(path), specifier);
  const problems = [];
  if (!target.startsWith(`${room.folder}/`)) problems.push(`${path}: "${specifier}" leaves ${room.folder}`);
  if (path.endsWith('.ts') && !specifier.endsWith('.ts')) problems.push(`${path}: "${specifier}" must end in .ts`);
  return problems;
};

/**
 * @typedef {{ rooms: ReadonlyMap<string, ReadonlySet<string>>, folderOf: ReadonlyMap<string, string>, tools: ReadonlySet<string> }} Law
 */

/** @param {Law} law @param {Room} room @param {SourceFile} file @param {string} specifier @returns {string[]} */
const importProblems = (law, room, file, specifier) => {
  const { path } = file;
  if (specifier.startsWith('.')) return relativeProblems(room, file, specifier);
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? [] : [`${path}: write "node:${specifier}"`];
  const name = packageOf(specifier);
  const target = law.folderOf.get(name);
  const problems = [];
  if (target === room.folder) problems.push(`${path}: imports its own package by name`);
  if (target !== undefined && target !== room.folder && !law.rooms.get(room.folder)?.has(target))
    problems.push(`${path}: ${room.folder} may not import ${target}`);
  if (target !== undefined && specifier.endsWith('/testing') && !isTest(path))
    problems.push(`${path}: "${specifier}" is for tests alone`);
  const isDeclared =
    declaredBy(room).includes(name) || (target === undefined && law.tools.has(name) && mayUseTools(path));
  if (!isDeclared && room.manifest !== undefined)
    problems.push(`${path}: "${name}" is not in the package's dependencies`);
  if (!isDeclared && room.manifest === undefined && target === undefined)
    problems.push(`${path}: "${name}" is not in the root's dependencies`);
  return problems;
};

/** What is declared is imported, and the project references follow the imports. @param {Law} law @param {Room} room */
const declarationProblems = (law, room) => {
  const used = new Set(room.files.flatMap(({ specifiers }) => specifiers.map(packageOf)));
  const unused = declaredBy(room).filter((name) => !used.has(name));
  const problems = unused.map((name) => `${room.folder}/package.json: "${name}" is declared and never imported`);
  if (room.references === undefined) return problems;
  const wanted = [...used].flatMap((name) => law.folderOf.get(name) ?? []).filter((folder) => folder !== room.folder);
  const missing = wanted.filter((folder) => !room.references?.includes(folder));
  const extra = room.references.filter((folder) => !wanted.includes(folder));
  return [
    ...problems,
    ...missing.map((folder) => `${room.folder}/tsconfig.json: the reference to ${folder} is missing`),
    ...extra.map((folder) => `${room.folder}/tsconfig.json: refers to ${folder}, which is not imported`),
  ];
};

/** Rows and folders are the same. @param {Law} law @param {readonly Room[]} present */
const roomProblems = (law, present) => {
  const folders = present.map(({ folder }) => folder);
  return [
    ...folders.filter((folder) => !law.rooms.has(folder)).map((folder) => `${folder} has no row in ARCHITECTURE.md`),
    ...[...law.rooms.keys()]
      .filter((folder) => !folders.includes(folder))
      .map((folder) => `ARCHITECTURE.md has a row for ${folder}, which does not exist`),
  ];
};

/**
 * Every breach of the arrows in a tree, one sentence each.
 * @param {{ architecture: string, rootManifest: import('./tree.mjs').Manifest, rooms: readonly Room[] }} tree
 * @returns {string[]}
 */
export const arrowProblems = ({ architecture, rootManifest, rooms }) => {
  const law = {
    rooms: parseRooms(architecture),
    folderOf: new Map(rooms.flatMap(({ manifest, folder }) => (manifest?.name ? [[manifest.name, folder]] : []))),
    tools: new Set(Object.keys({ ...rootManifest.dependencies, ...rootManifest.devDependencies })),
  };
  return [
    ...roomProblems(law, rooms),
    ...rooms.flatMap((room) => [
      ...room.files.flatMap((file) =>
        file.specifiers.flatMap((specifier) => importProblems(law, room, file, specifier)),
      ),
      ...declarationProblems(law, room),
    ]),
  ];
};

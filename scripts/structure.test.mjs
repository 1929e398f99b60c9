import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { readSource } from './import-rules/imports.mjs';
import { rootProblems, structureProblems } from './import-rules/structure.mjs';
import { readTree, packageFolders } from './import-rules/tree.mjs';
import { neededMajor } from './run/node24.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));

test('tests run on the Node that the product runs on', (t) => {
  t.true(Number(process.versions.node.split('.')[0]) >= neededMajor, process.version);
});

test('every source file keeps the rules of size, exits and bootstrapping', (t) => {
  const files = readTree(root).packages.flatMap((unit) => unit.files);
  t.true(files.some(({ path }) => path === 'scripts/run.mjs'));
  t.deepEqual(files.flatMap(structureProblems), []);
});

const file = (path, source, lines = 1) => ({ path, lines, ...readSource(source, 'ts') });

test('is a problem: a file over 400 lines', (t) => {
  t.is(structureProblems(file('libs/a/src/b.ts', '', 401)).length, 1);
  t.deepEqual(structureProblems(file('libs/a/src/b.ts', '', 400)), []);
});

test('is a problem: process.exit anywhere but in main.ts, launchers and scripts', (t) => {
  const source = 'if (x) process.exit(1);';
  t.regex(structureProblems(file('libs/a/src/b.ts', source)).join(), /process\.exit/);
  t.regex(structureProblems(file('libs/a/src/not-main.ts', source)).join(), /process\.exit/);
  for (const path of ['services/a/src/main.ts', 'cli/relay/bin/x.mjs', 'scripts/x.mjs'])
    t.deepEqual(structureProblems(file(path, source)), [], path);
  t.deepEqual(structureProblems(file('libs/a/src/b.ts', 'process.exitCode = 1; // process.exit(1)')), []);
});

test('is a problem: a name for which the field has a word', (t) => {
  for (const source of ['interface Reign {}', 'const graves = [];', 'type RunParts = string;', 'const mostKeys = 1;'])
    t.regex(structureProblems(file('libs/a/src/b.ts', source)).join(), /is a word of our own/, source);
  for (const alias of [`import { A as RunParts } from './a.ts'`, `export { a as graves } from './a.ts'`])
    t.regex(structureProblems(file('libs/a/src/b.ts', alias)).join(), /is a word of our own/, alias);
  t.deepEqual(structureProblems(file('libs/a/src/b.ts', 'interface Lane {} const maxKeys = 1; let almost;')), []);
  t.deepEqual(structureProblems(file('libs/a/src/b.ts', `import { FormatParts } from 'theirs'`)), []);
});

test('is a problem: a scenario that runs at once with the others of its file', (t) => {
  const path = 'e2e/src/a.e2e.ts';
  t.regex(structureProblems(file(path, `test('a', () => {});`)).join(), /test\.serial/);
  t.regex(structureProblems(file(path, `test.only('a', () => {});`)).join(), /test\.serial/);
  t.deepEqual(structureProblems(file(path, `test.before(() => {}); test.serial('a', () => {});`)), []);
  t.deepEqual(structureProblems(file('libs/a/src/a.test.ts', `test('a', () => {});`)), []);
});

test('is a problem: what runs before the installation imports a package', (t) => {
  const early = ['scripts/run.mjs', 'scripts/run/a.mjs', 'scripts/kubernetes-record/a.mjs', 'cli/relay/bin/a.mjs'];
  for (const path of early) t.regex(structureProblems(file(path, `import 'zod'`)).join(), /nothing is installed/, path);
  for (const path of ['scripts/run/a.test.mjs', 'scripts/bundle.mjs'])
    t.deepEqual(structureProblems(file(path, `import 'zod'`)), [], path);
});

test('the root refers to every package, and the lockfile pins what it fetches', (t) => {
  const references = readJson('tsconfig.json').references.map(({ path }) => path);
  const folders = packageFolders(root).filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
  t.true(folders.length > 10);
  t.deepEqual(rootProblems({ references, folders, lock: readJson('package-lock.json').packages }), []);
});

test('is a problem: a package without a reference, without integrity, or fetched in the clear', (t) => {
  const integrity = 'sha512-abc';
  const lock = {
    '': {},
    'libs/a': {},
    'node_modules/@x/a': { link: true, resolved: 'libs/a' },
    'node_modules/b': { resolved: 'https://host/b.tgz', integrity },
    'node_modules/c': { resolved: 'https://host/c.tgz' },
    'node_modules/d': { resolved: 'http://host/d.tgz', integrity },
    'node_modules/e': { optional: true, os: ['linux'], cpu: ['arm64'] },
    'node_modules/f': { optional: true, os: ['win32'], cpu: ['arm64'] },
    'node_modules/g': { optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  };
  t.deepEqual(rootProblems({ references: ['libs/a'], folders: ['libs/a', 'libs/b'], lock }), [
    'tsconfig.json: the reference to libs/b is missing',
    'package-lock.json: node_modules/c has no sha512 integrity',
    'package-lock.json: node_modules/e has no sha512 integrity',
    'package-lock.json: node_modules/f has no sha512 integrity',
    'package-lock.json: node_modules/g has no sha512 integrity',
    'package-lock.json: node_modules/d is not fetched by https',
  ]);
});

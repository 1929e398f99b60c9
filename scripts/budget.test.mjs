import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { topics } from '@ranger-relay/contracts';
import test from 'ava';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

const isCode = (name) => /\.(ts|mjs|js)$/.test(name) && !/\.(test|e2e)\.(ts|mjs)$/.test(name);
const skipped = new Set(['node_modules', 'dist', 'out', '.turbo', 'test', 'testing']);

/** Files of product code in a folder. */
const codeIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : codeIn(path);
    return isCode(entry.name) ? [path] : [];
  });

const linesOf = (folder) => codeIn(folder).reduce((sum, path) => sum + read(path).split('\n').length - 1, 0);

/** The rows of the table below a heading, as texts of their cells. */
const rowsOf = (heading) => {
  const [, section = ''] = read('BUDGET.md').split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

const namesIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

const packages = ['libs', 'services', 'cli'].flatMap((group) =>
  readdirSync(join(root, group)).flatMap((name) =>
    existsSync(join(root, group, name, 'src')) ? [`${group}/${name}`] : [],
  ),
);

test('every package keeps its budget of lines, and a budget follows a package that shrank', (t) => {
  const budgets = new Map(rowsOf('Lines').map(([folder, most]) => [folder.replaceAll('`', ''), Number(most)]));
  t.deepEqual(
    [...packages, 'e2e/src/world', 'scripts'].filter((folder) => !budgets.has(folder)),
    [],
  );
  const off = [...budgets].flatMap(([folder, most]) => {
    const lines = linesOf(packages.includes(folder) ? `${folder}/src` : folder);
    return lines > most || lines < most * 0.9 - 50 ? [`${folder} has ${lines} lines, its budget is ${most}`] : [];
  });
  t.deepEqual(off, []);
});

const states = rowsOf('States').map(([name, kind, owner, forgetting]) => ({
  names: namesIn(name),
  kind,
  owner,
  forgetting,
}));
const owning = (kind) => states.filter((state) => state.kind.startsWith(kind)).flatMap(({ names }) => names);

test('every state has an owner that names it, and a line that says what forgetting it means', (t) => {
  t.true(states.length > 20);
  for (const { names, kind, owner, forgetting } of states) {
    t.true(forgetting.length > 0, names.join());
    const path = namesIn(owner).find((each) => each.includes('/'));
    if (path === undefined || !/^(key|header)/.test(kind)) continue;
    for (const name of names.slice(0, 1))
      t.true(read(path).includes(name.split('.')[0]), `${path} does not name ${name}`);
  }
});

/** First parts of the keys that a file composes: by `storeKey`, or as text where it uses the store. */
const keysIn = (text) => [
  ...[...text.matchAll(/\bstoreKey\(\s*'([\w-]+)'/g)].map(([, name]) => name),
  ...(/from '@ranger-relay\/kv'|\bKeyValue\b|\.state\b/.test(text)
    ? [...text.matchAll(/[`'](?:([a-z][a-z_-]*)\.\$\{[^`]*`|([a-z][a-z_-]*)\.'(?=;|,))/g)].map(([, a, b]) => a ?? b)
    : []),
];

test('every key of the store that the code composes is listed', (t) => {
  const listed = new Set(owning('key').map((name) => name.split('.')[0]));
  const composed = packages
    .filter((folder) => folder !== 'libs/simulators')
    .flatMap((folder) => codeIn(`${folder}/src`))
    .flatMap((path) => keysIn(read(path)).map((name) => [name, path]));
  t.true(composed.length > 15);
  t.deepEqual(
    composed.filter(([name]) => !listed.has(name)),
    [],
  );
});

test('every topic of the catalogue and every header of our records is listed, and nothing else', (t) => {
  const listed = owning('topic').filter((name) => !name.startsWith('<'));
  t.deepEqual(
    listed.toSorted(),
    Object.values(topics)
      .map(({ name }) => name)
      .toSorted(),
  );
  const sources = packages
    .flatMap((folder) => codeIn(`${folder}/src`))
    .filter((path) => !path.startsWith('libs/simulators'));
  const headers = sources.flatMap((path) =>
    [...read(path).matchAll(/\b(?:published|append|letter|maybeSent|[a-z]+At)Header = '([a-z-]+)'/g)].map(
      ([, name]) => name,
    ),
  );
  t.deepEqual(owning('header').toSorted(), headers.toSorted());
});

test('every file that a state names exists', (t) => {
  for (const { owner } of states)
    for (const path of namesIn(owner)) if (path.includes('/')) t.true(existsSync(join(root, path)), path);
});

import { fileURLToPath } from 'node:url';
import test from 'ava';
import { importProblems } from './import-rules/check.mjs';
import { readSource } from './import-rules/imports.mjs';
import { parsePackages } from './import-rules/packages.mjs';
import { readTree } from './import-rules/tree.mjs';

const architecture = `# A

## Packages

| package           | what lives there | may import              |
| ---------------- | ---------------- | ----------------------- |
| \`libs/errors\`    | errors           | nothing                 |
| \`libs/runtime\`   | shared           | errors                  |
| \`libs/simulators\`| fakes            | nothing                 |
| \`services/a\`     | a service        | libs, except simulators |
| \`services/b\`     | a service        | libs, except simulators |
| \`cli/relay\`      | the command      | libs, services          |
| \`e2e\`            | scenarios        | runtime                 |
| \`scripts\`        | npm scripts      | nothing                 |

## After

| \`libs/ghost\` | not a row of the table | nothing |
`;

const own = { errors: '@x/errors', runtime: '@x/runtime', simulators: '@x/simulators', a: '@x/a', b: '@x/b' };

/** A package whose declarations fit its one source, unless overridden. */
const unit = (folder, source = '', more = {}) => {
  const { specifiers } = readSource(source, 'ts');
  const packages = specifiers.filter((s) => !s.startsWith('.') && !s.startsWith('node:'));
  const names = packages.map((s) =>
    s
      .split('/')
      .slice(0, s.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  const folders = [...new Set(names)].flatMap((name) => {
    const short = Object.entries(own).find(([, full]) => full === name)?.[0];
    return short ? [`${short.length === 1 ? 'services' : 'libs'}/${short}`] : [];
  });
  return {
    folder,
    manifest: {
      name: own[folder.split('/').at(-1)] ?? folder,
      private: true,
      dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
    },
    references: folders,
    files: [{ path: `${folder}/src/index.ts`, lines: 1, exits: false, specifiers }],
    ...more,
  };
};

const all = ['libs/errors', 'libs/runtime', 'libs/simulators', 'services/a', 'services/b', 'cli/relay', 'e2e'];

/** Problems of a tree in which some packages are replaced. */
const problemsWith = (...packages) => {
  const rest = all.filter((folder) => !packages.some((r) => r.folder === folder)).map((folder) => unit(folder));
  const scripts = { ...unit('scripts'), manifest: undefined, references: undefined };
  return importProblems({
    architecture,
    rootManifest: { devDependencies: { ava: '1.0.0' } },
    packages: [...rest, ...packages, ...(packages.some((r) => r.folder === 'scripts') ? [] : [scripts])],
  });
};

test('every import of the tree keeps to the table of packages', (t) => {
  const tree = readTree(fileURLToPath(new URL('..', import.meta.url)));
  t.true(tree.packages.length > 10);
  t.true(tree.packages.flatMap(({ files }) => files).length > 50);
  t.deepEqual(importProblems(tree), []);
});

test('the operator may import neither bus nor store nor platform', (t) => {
  const { architecture: text } = readTree(fileURLToPath(new URL('..', import.meta.url)));
  const allowed = [...(parsePackages(text).get('services/operator') ?? [])];
  t.deepEqual(allowed.toSorted(), ['libs/contracts', 'libs/errors', 'libs/runtime']);
});

test('a tree that keeps the rules has no problem', (t) => {
  t.deepEqual(problemsWith(), []);
  t.deepEqual(problemsWith(unit('services/a', `import '@x/runtime'; import './b.ts'; import 'node:fs';`)), []);
  t.deepEqual(problemsWith(unit('cli/relay', `import '@x/a'; import '@x/simulators';`)), []);
});

for (const [what, broken, sentence] of [
  ['a library imports upwards', unit('libs/errors', `import '@x/runtime'`), 'libs/errors may not import libs/runtime'],
  ['services import each other', unit('services/a', `import '@x/b'`), 'services/a may not import services/b'],
  ['an excepted package is imported', unit('services/a', `import '@x/simulators'`), 'may not import libs/simulators'],
  [
    'a type is imported against the import rules',
    unit('libs/errors', `import type { T } from '@x/runtime'`),
    'may not import',
  ],
  ['a re-export goes against the import rules', unit('libs/errors', `export * from '@x/runtime'`), 'may not import'],
  ['import() goes against the import rules', unit('libs/errors', `await import('@x/runtime')`), 'may not import'],
  [
    'a type query goes against the import rules',
    unit('libs/errors', `let a: import('@x/runtime').T`),
    'may not import',
  ],
  ['a subpath goes against the import rules', unit('libs/errors', `import '@x/runtime/testing'`), 'may not import'],
  ['a test helper is used outside tests', unit('services/a', `import '@x/runtime/testing'`), 'is for tests alone'],
  [
    'a relative import leaves the package',
    unit('libs/errors', `import '../../runtime/src/a.ts'`),
    'leaves libs/errors',
  ],
  ['a relative import has no ending', unit('libs/errors', `import './entry'`), 'must end in .ts'],
  ['a package imports itself by name', unit('libs/errors', `import '@x/errors'`), 'imports its own package'],
  ['a builtin is named without its scheme', unit('libs/errors', `import 'fs'`), 'write "node:fs"'],
]) {
  test(`is a problem: ${what}`, (t) => {
    t.true(problemsWith(broken).join('\n').includes(sentence));
  });
}

test('the scripts share what the launcher is made of, and leave their folder for nothing else', (t) => {
  const [shared, other] = ['bin/child.mjs', 'src/main.ts'].map((file) => {
    const files = [{ path: 'scripts/run/a.mjs', lines: 1, exits: false, specifiers: [`../../cli/relay/${file}`] }];
    return problemsWith({ ...unit('scripts'), manifest: undefined, references: undefined, files }).join('\n');
  });
  t.is(shared, '');
  t.regex(other, /leaves scripts/);
});

test('is a problem: an import that is not declared, of the workspace or from outside', (t) => {
  const bare = { manifest: { name: '@x/a', private: true, dependencies: {} } };
  t.regex(problemsWith(unit('services/a', `import '@x/runtime'`, bare)).join('\n'), /"@x\/runtime" is not in the pack/);
  t.regex(problemsWith(unit('services/a', `import 'zod'`, bare)).join('\n'), /"zod" is not in the package/);
  t.regex(problemsWith(unit('services/a', `import 'ava'`, bare)).join('\n'), /"ava" is not in the package/);
});

test('tests may use the tools of the root, and only those', (t) => {
  const bare = { manifest: { name: '@x/a', private: true, dependencies: {} } };
  const inTest = (specifier) =>
    problemsWith({
      ...unit('services/a', '', bare),
      files: [{ path: 'services/a/src/a.test.ts', lines: 1, exits: false, specifiers: [specifier] }],
    });
  t.deepEqual(inTest('ava'), []);
  t.is(inTest('left-pad').length, 1);
});

test('the published package may declare what is bundled as a development dependency', (t) => {
  const manifest = { name: 'relay', devDependencies: { '@x/runtime': '1.0.0' } };
  t.deepEqual(problemsWith(unit('cli/relay', `import '@x/runtime'`, { manifest })), []);
});

test('is a problem: project references that do not follow the imports', (t) => {
  t.deepEqual(problemsWith(unit('services/a', `import '@x/runtime'`, { references: [] })), [
    'services/a/tsconfig.json: the reference to libs/runtime is missing',
  ]);
  t.deepEqual(problemsWith(unit('services/a', '', { references: ['libs/errors'] })), [
    'services/a/tsconfig.json: refers to libs/errors, which is not imported',
  ]);
});

test('is a problem: a folder without a row, and a row without a folder', (t) => {
  t.deepEqual(problemsWith(unit('libs/new')), ['libs/new has no row in ARCHITECTURE.md']);
  const packages = all.slice(1).map((folder) => unit(folder));
  t.true(
    importProblems({ architecture, rootManifest: {}, packages }).includes(
      'ARCHITECTURE.md has a row for libs/errors, which does not exist',
    ),
  );
});

test('the table says libs, services, names and exceptions', (t) => {
  const packages = parsePackages(architecture);
  t.deepEqual([...(packages.get('libs/errors') ?? [])], []);
  t.deepEqual([...(packages.get('libs/runtime') ?? [])], ['libs/errors']);
  t.deepEqual([...(packages.get('services/a') ?? [])], ['libs/errors', 'libs/runtime']);
  t.deepEqual(
    [...(packages.get('cli/relay') ?? [])],
    ['libs/errors', 'libs/runtime', 'libs/simulators', 'services/a', 'services/b'],
  );
  t.false(packages.has('libs/ghost'));
});

test('a table that cannot be understood is refused, never taken for an empty one', (t) => {
  t.throws(() => parsePackages('# nothing'), { message: /no section/ });
  t.throws(() => parsePackages('## Packages\n\ntext\n'), { message: /empty/ });
  t.throws(() => parsePackages('## Packages\n\n| `libs/a` | x | libs/b |\n'), { message: /which is no package/ });
});

test('imports in comments and texts are none', (t) => {
  t.deepEqual(readSource(`// import '@x/a'\nconst s = "import 'b'"; /* export * from 'c' */`, 'ts').specifiers, []);
});

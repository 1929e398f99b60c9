import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { runTests } from '../tests.mjs';
import { groupsOf } from './groups.mjs';
import { temporaryFolder } from '../../test/temporary-folder.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

testProp(
  'each test file is in one group, with no more than 15 others, all of its package',
  [
    fc.uniqueArray(
      fc
        .tuple(fc.constantFrom('libs/a', 'libs/b', 'scripts'), fc.nat(99))
        .map(([folder, n]) => `${folder}/src/${n}.test.ts`),
      { maxLength: 200 },
    ),
  ],
  (t, files) => {
    const groups = groupsOf(files);
    t.deepEqual(groups.flat(), files.toSorted());
    for (const group of groups) {
      t.true(group.length > 0 && group.length <= 16);
      t.is(new Set(group.map((file) => file.split('/src/')[0])).size, 1);
    }
  },
);

/** Runs test files in a workspace of their own as `npm test` does. */
const run = async (t, files, ...args) => {
  const folder = temporaryFolder(t);
  cpSync(join(root, 'scripts/run'), join(folder, 'scripts/run'), {
    recursive: true,
    filter: (path) => !path.includes('.test.'),
  });
  cpSync(join(root, 'ava.config.mjs'), join(folder, 'ava.config.mjs'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, body] of Object.entries(files)) {
    const path = join(folder, 'libs', `${name}.test.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import test from 'ava';\nimport { testProp, fc } from '@fast-check/ava';\n${body}`);
  }
  const texts = [];
  const out = { write: (text) => texts.push(text), on: () => out };
  const { PATH } = process.env;
  const code = await runTests({ node: process.execPath, root: folder, cwd: folder, env: { PATH }, args, out });
  return { code, out: texts.join(''), left: readdirSync(join(folder, 'dist/tests')) };
};

/** A test that logs when it begins and when its teardowns have ended, with turns of the event loop in between. */
const told = (title) =>
  `test('${title}', async (t) => { globalThis.told = [...(globalThis.told ?? []), '${title} begins'];
    t.teardown(() => globalThis.told.push('${title} ends')); t.teardown(() => new Promise((resolve) => setImmediate(resolve)));
    await new Promise((resolve) => setImmediate(resolve)); t.pass(); });`;

test('files of a group share a process: the tests of one run together, and before those of the next', async (t) => {
  const same = `test('the same', (t) => t.pass()); testProp('a property', [fc.nat()], (t, n) => t.true(n >= 0), { seed: 1 });`;
  const { code, out, left } = await run(t, {
    'a/src/1': `${told('one')} ${told('two')} ${same}`,
    'a/src/2': `${told('three')} ${same} test.serial('in series', (t) => t.pass());`,
    'a/src/3': `let ready = await Promise.resolve(false); test.before(() => { ready = true; }); test('has its hook', (t) => t.true(ready)); test.after('has ended', (t) => t.log(ready));`,
    'a/src/4': `test.skip('not yet', (t) => t.fail()); test('is last', (t) => { t.log(globalThis.told.join(', ')); t.pass(); });`,
  });
  t.is(code, 0, out);
  t.regex(out, /is last: one begins, two begins, one ends, two ends, three begins, three ends$/m);
  t.regex(out, /^10 passed, 0 failed, 1 skipped$/m);
  t.deepEqual(left, []);
});

test('a failure names its file and keeps no other file from running; a file that cannot be loaded fails the run', async (t) => {
  const { code, out } = await run(t, {
    'a/src/deep/1': `test('fails', (t) => t.is(1, 2, 'one is not two'));`,
    'a/src/2': `testProp('never holds', [fc.nat()], (t) => t.fail());`,
    'a/src/3': `test('passes', (t) => t.pass());`,
    'b/src/1': `throw new Error('at import');`,
  });
  t.is(code, 1);
  t.regex(out, /✘ .*libs › a › src › deep › 1 › fails\n[^]*one is not two/);
  t.regex(out, /✘ .*libs › a › src › 2 › never holds/);
  t.regex(out, /at import/);
  t.regex(out, /^1 passed, [3-9] failed$/m);
});

test('paths choose files and folders', async (t) => {
  const names = ['a/src/x/1', 'a/src/x/2', 'a/src/xy', 'a/src/z', 'b/src/z'];
  const files = Object.fromEntries(names.map((name) => [name, `test('runs', (t) => t.pass());`]));
  t.regex((await run(t, files, 'libs/a/src/x/', './libs/b/src/z.test.ts')).out, /^3 passed, 0 failed$/m);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { notices, packageFolders } from './licenses.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const installed = (t) => {
  const root = temporaryFolder(t);
  const add = (folder, manifest, license) => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify(manifest));
    if (license) writeFileSync(join(root, folder, 'LICENSE.md'), license);
  };
  add('node_modules/b', { name: 'b', version: '1.0.0', license: 'MIT' }, 'May be used.\n');
  add('node_modules/@x/a', { name: '@x/a', version: '2.0.0', license: 'ISC' });
  add('node_modules/b/node_modules/c', { name: 'c', version: '3.0.0', license: 'MIT' }, 'Also.');
  return root;
};

test('finds each package once, scoped and nested ones too, and passes over sources and virtual modules', (t) => {
  const root = installed(t);
  const at = (path) => join(root, path);
  const ids = ['node_modules/b/dist/x.js', 'node_modules/b/y.js', 'node_modules/@x/a/z.js', 'libs/a/src/index.ts'];
  const nested = 'node_modules/b/node_modules/c/index.js';
  t.deepEqual(packageFolders([...ids.map(at), at(nested), '\0rolldown/runtime.js']), [
    at('node_modules/@x/a'),
    at('node_modules/b'),
    at('node_modules/b/node_modules/c'),
  ]);
});

test('every notice names the package and carries its licence, or says that there is none', (t) => {
  const root = installed(t);
  const text = notices([join(root, 'node_modules/b/x.js'), join(root, 'node_modules/@x/a/y.js')]);
  t.true(text.includes('b 1.0.0 (MIT)\n\nMay be used.\n'));
  t.true(text.includes('@x/a 2.0.0 (ISC)\n\n(the package carries no licence file)\n'));
  t.false(text.includes('Also.'));
});

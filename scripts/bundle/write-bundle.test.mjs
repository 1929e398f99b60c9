import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { packageFolders } from './licenses.mjs';
import { clientNode, writeBundle } from './write-bundle.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Names of the packages that go into a bundle. @param {import('./write-bundle.mjs').BundleSpec} spec */
const packagesOf = async (spec) =>
  packageFolders((await writeBundle(root, spec)).moduleIds).map((path) => basename(path));

test('programs do not carry client-node: it lies beside them, without what the operator does not use', async (t) => {
  t.timeout(120_000);
  const folder = temporaryFolder(t);
  for (const input of ['services/operator/src/main.ts', 'cli/relay/src/main.ts'])
    t.false((await packagesOf({ input, file: join(folder, 'program.js') })).includes('client-node'), input);
  const beside = await packagesOf(clientNode(join(folder, 'client-node.js')));
  t.true(beside.includes('client-node'));
  for (const needless of ['ws', 'isomorphic-ws', 'tar-fs', 'stream-buffers'])
    t.false(beside.includes(needless), needless);
});

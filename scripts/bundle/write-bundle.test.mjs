import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { writeBundle } from './write-bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

test('the operator of a pod does not carry client-node: it lies beside, for who has a kubeconfig', async (t) => {
  t.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const modulesOf = async (/** @type {string} */ input) =>
    (await writeBundle(root, { input, file: join(folder, 'program.js') })).moduleIds.filter((id) =>
      id.includes('/@kubernetes/'),
    );
  t.deepEqual(await modulesOf('services/operator/src/main.ts'), []);
  t.true((await modulesOf('node_modules/@kubernetes/client-node/dist/config.js')).length > 0);
});

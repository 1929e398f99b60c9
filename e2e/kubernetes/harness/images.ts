import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, finish } from '../../src/harness/product.ts';
import { must } from './call.ts';
import type { KubernetesNode } from './node.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const kexec = fileURLToPath(new URL('../cluster/kexec.sh', import.meta.url));
const archives = ['ranger-relay', 'sync-tool'].map((name) => join(root, 'dist/images', `${name}.tar`));

/** Makes an archive's images known to the node. */
export const loadArchive = async (file: string): Promise<void> => {
  const child = spawn(kexec, ['ctr', '-n', 'k8s.io', 'images', 'import', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => undefined);
  createReadStream(file).pipe(child.stdin);
  const { code, stderr } = await finish(collect(child));
  if (code !== 0) throw new Error(`${file} could not be loaded: ${stderr}`);
};

/** Makes the images of these sources and loads them into the node. */
export const loadImages = (node: KubernetesNode): Promise<void> =>
  node.once('images', async () => {
    await must(process.execPath, ['scripts/images.mjs'], { cwd: root, timeoutMs: 300_000 });
    await Promise.all(archives.map(loadArchive));
  });

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must } from './call.ts';
import type { KubernetesNode } from './node.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const kexec = fileURLToPath(new URL('../cluster/kexec.sh', import.meta.url));
const archives = ['ranger-relay', 'sync-tool'].map((name) => join(root, 'dist/images', `${name}.tar`));

/** Makes an archive's images known to the node. */
export const loadArchive = async (file: string): Promise<void> => {
  const child = spawn(kexec, ['ctr', '-n', 'k8s.io', 'images', 'import', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdin.on('error', () => undefined);
  createReadStream(file).pipe(child.stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} could not be loaded: ${errors}`);
};

/** Makes the images of these sources and loads them into the node. */
export const loadImages = (node: KubernetesNode): Promise<void> =>
  node.once('images', async () => {
    await must(process.execPath, ['scripts/images.mjs'], { cwd: root, timeoutMs: 300_000 });
    await Promise.all(archives.map(loadArchive));
  });

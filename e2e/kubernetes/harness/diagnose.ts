import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Kubectl } from './kubectl.ts';

const out = fileURLToPath(new URL('../../out/', import.meta.url));

/** Writes down what a namespace tells of itself, for whoever looks for the reason of a failure: `e2e/out/kubernetes-<namespace>.log`. */
export const writeDown = async (kubectl: Kubectl): Promise<void> => {
  const every = ['--selector', 'app.kubernetes.io/part-of=ranger-relay'];
  const asked = await Promise.all([
    kubectl.run('get', 'all', '--output', 'wide'),
    kubectl.run('get', 'events', '--sort-by', '.lastTimestamp'),
    kubectl.run('logs', ...every, '--prefix', '--tail', '2000', '--max-log-requests', '20'),
  ]);
  mkdirSync(out, { recursive: true });
  const text = asked.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  writeFileSync(`${out}kubernetes-${kubectl.namespace}.log`, text);
};

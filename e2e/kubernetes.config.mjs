import scenarios from './ava.config.mjs';

/** Those that change what a cluster has once, break the node, or take figures; the last wait until the whole machine is quiet. */
export const alone = [
  'api-server',
  'scan',
  'faults',
  'kill-matrix',
  'operator-faults',
  'rollouts',
  'forwarders',
  'readme-cluster',
].map((name) => `kubernetes/${name}.e2e.ts`);

/** What it needs may still be under way when the others begin. */
const last = 'kubernetes/alerts.e2e.ts';

/** Scenarios on a real Kubernetes, which is built from sources where it is not there yet; each file has namespaces of its own. */
export default {
  ...scenarios,
  files: ['kubernetes/*.e2e.ts', ...alone.map((file) => `!${file}`)],
  sortTestFiles: (a, b) => a.endsWith(last) - b.endsWith(last) || a.localeCompare(b),
  timeout: '20m',
};

import scenarios from './ava.config.mjs';

/** Those that take figures, break the node, or install what a cluster has once. */
export const alone = ['faults', 'forwarders', 'kill-matrix', 'operator-faults', 'readme-cluster'].map(
  (name) => `kubernetes/${name}.e2e.ts`,
);

/**
 * Scenarios on a real Kubernetes, which is built from sources where it is not there yet. They wait more than they work, and each has a
 * namespace of its own: two at a time.
 */
export default {
  ...scenarios,
  files: ['kubernetes/*.e2e.ts', ...alone.map((file) => `!${file}`)],
  concurrency: 2,
  timeout: '20m',
};

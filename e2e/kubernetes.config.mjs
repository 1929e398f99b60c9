import scenarios from './ava.config.mjs';

/** Those that break the node, install what a cluster has once, or take figures; the last wait until the whole machine is quiet. */
export const alone = ['faults', 'kill-matrix', 'operator-faults', 'rollouts', 'forwarders', 'readme-cluster'].map(
  (name) => `kubernetes/${name}.e2e.ts`,
);

/** Scenarios on a real Kubernetes, which is built from sources where it is not there yet. */
export default {
  ...scenarios,
  files: ['kubernetes/*.e2e.ts', ...alone.map((file) => `!${file}`)],
  timeout: '20m',
};

import scenarios from './ava.config.mjs';

/** Figures come last, when other suites of the same run have ended. */
const last = ['forwarders', 'readme-cluster'];
const rank = (file) => last.findIndex((name) => file.endsWith(`${name}.e2e.ts`));

/** Scenarios on a real Kubernetes, which is built from sources where it is not there yet. */
export default {
  ...scenarios,
  files: ['kubernetes/*.e2e.ts'],
  sortTestFiles: (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  timeout: '20m',
};

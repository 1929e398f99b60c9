import scenarios from './ava.config.mjs';

/** Tests that render the charts with Helm, which they build where it is missing; they need no cluster. */
export default { ...scenarios, files: ['kubernetes/chart-*.e2e.ts'], timeout: '20m' };

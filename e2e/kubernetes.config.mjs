import scenarios from './ava.config.mjs';

/** Scenarios on a real Kubernetes, which is built from sources where it is not there yet. */
export default { ...scenarios, files: ['kubernetes/*.e2e.ts'], timeout: '20m' };

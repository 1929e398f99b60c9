import scenarios from './ava.config.mjs';
import { alone } from './kubernetes.config.mjs';

/** Scenarios on a real Kubernetes beside which no other may run. */
export default { ...scenarios, files: alone, timeout: '20m' };

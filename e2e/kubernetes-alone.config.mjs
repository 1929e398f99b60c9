import scenarios from './ava.config.mjs';
import { alone } from './kubernetes.config.mjs';

const rankOf = (path) => alone.findIndex((file) => path.endsWith(file));

/** Scenarios on a real Kubernetes beside which no other on it may run. */
export default {
  ...scenarios,
  files: alone,
  sortTestFiles: (a, b) => rankOf(a) - rankOf(b),
  concurrency: 1,
  timeout: '30m',
};

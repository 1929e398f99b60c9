import { lines } from '../panels.mjs';
import { ofProcess } from '../query.mjs';

/** Memory and event loop of the processes of a component, or of all. @param {string} [component] @returns {import('../panels.mjs').Row} */
export const processRow = (component) => ({
  title: 'Processes',
  panels: [
    lines('Memory', [ofProcess('process_resident_memory_bytes', component)], { unit: 'bytes' }),
    lines('Event loop delay, 99th percentile', [ofProcess('nodejs_eventloop_lag_p99_seconds', component)], {
      unit: 's',
      about: 'Delays of some seconds make health probes and heartbeats of consumers fail.',
    }),
  ],
});

import { lines } from '../panels.mjs';
import { ofProcess } from '../query.mjs';

/** How the processes of a component are, or those of all. @param {string} [component] @returns {import('../panels.mjs').Row} */
export const processRow = (component) => ({
  title: 'Processes',
  panels: [
    lines('Memory', [[ofProcess('process_resident_memory_bytes', component), '{{component}} {{pod}} {{instance}}']], {
      unit: 'bytes',
    }),
    lines(
      'Event loop, 99 % of its delays',
      [[ofProcess('nodejs_eventloop_lag_p99_seconds', component), '{{component}} {{pod}} {{instance}}']],
      {
        unit: 's',
        about: 'Health probes and the heartbeats of consumers suffer beyond some seconds.',
      },
    ),
  ],
});

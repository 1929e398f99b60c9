import { entries } from '../entry.ts';

export const commonErrors = entries({
  config_invalid: {
    next: 'alert',
    status: 500,
    text: '{variable} {problem}',
    check: 'Correct the named variable; `--help` lists every variable with its form and default.',
  },
  deadline_exceeded: {
    next: 'retry',
    status: 503,
    text: '{what} did not finish within {ms} ms',
    check: 'Look at the latency of the store or service named in the text.',
  },
  internal: {
    next: 'retry',
    status: 500,
    text: 'An unexpected error occurred',
    check: 'The log holds the stack under the same trace id; this is a defect worth reporting.',
  },
});

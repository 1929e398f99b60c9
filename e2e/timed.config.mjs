import scenarios, { timed } from './ava.config.mjs';

/** Scenarios that hold services to times, one after the other. */
export default { ...scenarios, files: timed, concurrency: 1 };

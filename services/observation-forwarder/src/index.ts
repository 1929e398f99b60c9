export { allowRefusals } from './refusals.ts';
export { compose, forwarderGroup } from './compose.ts';
export { forwarderEnv, parseForwarderConfig } from './config.ts';
export { createDeliveredRecords, deliveredOf } from './delivered.ts';
export { type Accepted, acceptedCounts, later } from './tally.ts';

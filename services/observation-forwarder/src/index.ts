export { allowRefusals } from './refusals.ts';
export { compose } from './compose.ts';
export { forwarderEnv, parseForwarderConfig } from './config.ts';
export { leaseMs, renewMs } from './dedup/dedup.ts';
export { eventKey } from './dedup/claim.ts';
export { forwarderGroup } from './forwarding.ts';

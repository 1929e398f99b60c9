export { allowRefusals } from './refusals.ts';
export { compose, forwarderGroup } from './compose.ts';
export { forwarderEnv, parseForwarderConfig } from './config.ts';
export { eventKey, leaseMs, renewMs } from './dedup/claims.ts';

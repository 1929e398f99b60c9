export { allowRefusals } from './refusals.ts';
export { compose, type ForwarderDependencies } from './compose.ts';
export { forwarderEnv, parseForwarderConfig, type ForwarderConfig } from './config.ts';
export { leaseMs, renewMs } from './dedup/dedup.ts';
export { eventKey } from './dedup/claim.ts';
export { forwarderGroup, type ForwarderSensors } from './forwarding.ts';

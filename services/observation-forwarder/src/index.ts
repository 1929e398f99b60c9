export { compose, forwarderGroup, type ForwarderDependencies } from './compose.ts';
export { forwarderEnv, parseForwarderConfig, type ForwarderConfig } from './config.ts';
export { leaseMs, renewMs } from './dedup.ts';
export { eventKey } from './event-keys.ts';
export type { Sensors } from './parts.ts';

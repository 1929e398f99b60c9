export { collectStatus, type CollectParts } from './collect.ts';
export { followActivity, type RecentActivity } from './server/activity-tail.ts';
export type { SimulatedItem, SimulatedItems } from './server/simulated.ts';
export { startStatusServer, type StatusServerOptions } from './server/start.ts';

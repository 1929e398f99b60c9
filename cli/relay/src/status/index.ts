export { collectStatus } from './collect.ts';
export type { ServiceStatus } from './model.ts';
export { followActivity } from './server/activity-tail.ts';
export type { SimulatedItem, SimulatedItems } from './page/rows.ts';
export { startStatusServer } from './server/app.ts';
export { waitingEvents } from './waiting.ts';

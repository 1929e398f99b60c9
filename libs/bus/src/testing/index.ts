export { busContract, contractTopics, type BusLane, type BusWorld } from './contract.ts';
export { grantRights } from './grant-rights.ts';
export { setTopicSettings } from './topic-settings.ts';
export { publishUntilKilled } from './killed-publisher.ts';
export {
  quickRules,
  temporaryBus,
  type TemporaryBus,
  type TemporaryBusOptions,
  type WithTeardown,
} from './temporary-bus.ts';

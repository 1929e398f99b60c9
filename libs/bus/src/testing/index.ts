export { busContract, contractTopics, type BusLane, type BusHarness } from './contract.ts';
export { grantRights } from './temporary-bus.ts';
export { setTopicSettings } from './temporary-bus.ts';
export { publishUntilKilled } from './temporary-bus.ts';
export {
  quickRules,
  temporaryBus,
  type TemporaryBus,
  type TemporaryBusOptions,
  type WithTeardown,
} from './temporary-bus.ts';

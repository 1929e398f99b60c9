export { busContract, contractTopics, type BusHarness } from './contract.ts';
export { memoryBus, type MemoryBus } from './memory-bus.ts';
export { grantRights } from './temporary-bus.ts';
export { setTopicSettings } from './temporary-bus.ts';
export { publishUntilKilled } from './temporary-bus.ts';
export { quickRules, temporaryBus, type TemporaryBus } from './temporary-bus.ts';

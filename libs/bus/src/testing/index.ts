export { busContract, contractTopics, type BusHarness } from './contract.ts';
export { memoryBus, type MemoryBus, type PublishCall } from './memory-bus.ts';
export { memoryStorage, type MemoryStorage } from './memory-storage.ts';
export { grantRights } from './temporary-bus.ts';
export { setTopicSettings } from './temporary-bus.ts';
export { publishUntilKilled } from './temporary-bus.ts';
export { quickRules, temporaryBus, type TemporaryBus } from './temporary-bus.ts';

export { busContract, contractTopics, type BusHarness } from './contract.ts';
export { memoryBus, type MemoryBus, type MemoryBusOptions, type MemoryLink } from './memory-bus.ts';
export { memoryStorage, type MemoryStorage } from './memory-storage.ts';
export type { Group, Member } from '../consume/group.ts';
export type { Assigned, Groups } from '../consume/consumers.ts';
export { grantRights } from './temporary-bus.ts';
export { deleteTopic, setTopicSettings } from './temporary-bus.ts';
export { publishUntilKilled } from './temporary-bus.ts';
export { quickRules, temporaryBus, type TemporaryBus } from './temporary-bus.ts';

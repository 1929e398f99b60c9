export { kvContract, type KvAdapter, type KvCase, type KvUnderTest } from './contract.ts';
export { flakyKv, type FlakyKv, type KvCall, type KvCallFilter } from './flaky-kv.ts';
export { memorySpace, type MemorySpace } from './memory-space.ts';
export { temporaryKv, type TemporaryKv } from './temporary-kv.ts';

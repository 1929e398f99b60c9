export { kvContract, type KvUnderTest } from './contract.ts';
export { flakyKv, type FlakyKv } from './flaky-kv.ts';
export { memorySpace, type MemorySpace } from './memory-space.ts';
export { temporaryKv } from './temporary-kv.ts';

export { startFakeRedis } from '../redis/test/fake-redis.ts';
export { kvContract, type KvUnderTest } from './contract.ts';
export { memoryKv, type MemoryKv } from './memory-kv.ts';
export { MemoryEntries, memorySpace, type MemorySpace } from './memory-space.ts';
export { temporaryKv } from './temporary-kv.ts';

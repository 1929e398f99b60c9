export type { Rebuilt } from './embedded/damaged.ts';
export { openEmbeddedKv, type EmbeddedKvOptions } from './embedded/open.ts';
export type { KeyValue, KvSpace, KvSpaceName, SetOptions } from './port.ts';
export { openRedisKv, type RedisKvOptions } from './redis/open.ts';
export { redisSettings, type RedisAddress, type RedisSettings } from './redis/settings.ts';

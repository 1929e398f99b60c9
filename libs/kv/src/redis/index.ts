export { openRedisKv, type RedisKvOptions } from './open.ts';
export { redisSettings, type RedisAddress, type RedisSettings } from './settings.ts';

export { openRedisKv, type RedisKvOptions } from './open.ts';
export { redisSettings } from './settings.ts';

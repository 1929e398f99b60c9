export { openRedisKv, type RedisKvOptions } from './open.ts';
export { redisProblems, redisSettings } from './settings.ts';

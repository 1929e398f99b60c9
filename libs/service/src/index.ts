export { createClockGuard, type ClockGuard } from './clock-guard.ts';
export { aloneEnv } from './platform.ts';
export { connectPlatform } from './platform.ts';
export { parseServiceEnv, runService, type ServiceSpec } from './run.ts';
export { connectBus, connectKv, topicsOf } from './stores.ts';
export { letterMark, markedLetters, markLetter, type LetterMark } from './dead-letters/stored.ts';
export { watchOutstandingLetters } from './dead-letters/outstanding.ts';
export { sosOf, type LetterSos } from './dead-letters/stored.ts';
export { lettersSince, readLetter, type StoredLetter } from './dead-letters/stored.ts';

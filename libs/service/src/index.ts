export {
  eventTopics,
  isProbeKey,
  probeKey,
  watchBusWrites,
  type WatchedBus,
  noteLost,
  watchTopics,
  writeProbe,
} from './bus-conditions.ts';
export { createClockGuard, type ClockGuard } from './clock-guard.ts';
export { aloneEnv } from './platform.ts';
export { connectPlatform } from './platform.ts';
export { parseServiceEnv, prepareService, runService, type ServiceSpec } from './run.ts';
export { connectBus, connectKv, isElsewhere, storeProblems, topicsOf, watchCertificates } from './stores.ts';
export { letterMark, markLetter, outstandingLetters, type LetterMark } from './dead-letters/stored.ts';
export { watchOutstandingLetters } from './dead-letters/outstanding.ts';
export { sosOf, type LetterSos } from './dead-letters/stored.ts';
export { lettersSince, readLetter, type StoredLetter } from './dead-letters/stored.ts';
export { createSosLog, readSosStep, type SosLog } from './sos-log.ts';
export { dismissCondition, shareConditions, sharedConditions, storeTime } from './share-conditions.ts';

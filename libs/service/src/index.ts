export {
  eventTopics,
  isProbeKey,
  probeKey,
  watchBusWrites,
  noteLost,
  watchTopics,
  writeProbe,
  type WatchedBus,
} from './bus-conditions.ts';
export { createClockGuard, type ClockGuard } from './clock-guard.ts';
export { aloneEnv, connectPlatform } from './platform.ts';
export { parseServiceEnv, prepareService, runService, type ServiceSpec } from './run.ts';
export { connectBus, connectKv, isElsewhere, storeProblems, topicsOf, watchCertificates } from './stores.ts';
export {
  letterMark,
  markLetter,
  outstandingLetters,
  sosOf,
  lettersSince,
  readLetter,
  type LetterMark,
  type LetterSos,
  type StoredLetter,
} from './dead-letters/stored.ts';
export { watchOutstandingLetters } from './dead-letters/outstanding.ts';
export { createSosLog, readSosStep, type SosLog } from './sos-log.ts';
export { dismissCondition, shareConditions, sharedConditions, storeTime } from './share-conditions.ts';

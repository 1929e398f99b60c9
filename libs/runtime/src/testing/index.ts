export { manualClock, type ManualClock } from './manual-clock.ts';
export { seededRandom } from './seeded-random.ts';
export { silentLogger, recordingLogger, type RecordedLine } from './loggers.ts';
export { testContext } from './context.ts';

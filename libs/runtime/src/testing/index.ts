export { anyCharacter } from './any-character.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export { seededRandom } from './seeded-random.ts';
export { silentLogger, recordingLogger, type RecordedLine } from './context.ts';
export { certificateOf2036, loopbackTls } from './loopback-tls.ts';
export { testContext } from './context.ts';
export { recordingTracing } from './context.ts';
export { strangeLabels } from './seeded-random.ts';

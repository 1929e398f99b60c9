export { manualClock, type ManualClock } from './manual-clock.ts';
export { seededRandom } from './seeded-random.ts';
export { silentLogger, recordingLogger, type RecordedLine } from './loggers.ts';
export { loopbackTls } from './loopback-tls.ts';
export { testContext } from './context.ts';
export { recordingTracing } from './recording-tracing.ts';
export { strangeLabels } from './strange-labels.ts';

import { systemClock, type Clock } from '../clock.ts';
import type { FinishedSpan, Tracing } from '../tracing/port.ts';
import { recordSpans } from '../tracing/recorder.ts';
import { seededRandom } from './seeded-random.ts';

/** Tracing whose spans can be read, in the order in which they ended. */
export const recordingTracing = (clock: Clock = systemClock): { tracing: Tracing; spans: FinishedSpan[] } => {
  const spans: FinishedSpan[] = [];
  return { tracing: recordSpans({ clock, random: seededRandom(7), take: (span) => spans.push(span) }), spans };
};

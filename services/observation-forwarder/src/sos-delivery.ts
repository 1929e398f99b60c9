import { replayedLetter } from '@ranger-relay/bus';
import { partsOf, type SosStep, sosStepOf } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import type { SosLog } from '@ranger-relay/service';
import type { ActivityReporter } from './activity-reporter.ts';
import type { Task } from './task.ts';

/** Tells of each SOS event that the platform has accepted it: to the log of SOS, the activity log and the metrics. */
export interface SosDelivery {
  /** No part of the event is due any more. Sets `logged`. */
  finished(task: SosTask): void;
  /**
   * The event is recorded as delivered, by acceptances or dead letters: the process that sent it may have ended before that was logged.
   * Sets `logged`.
   */
  repeated(task: SosTask): void;
}

type SosTask = Pick<Task, 'event' | 'record' | 'answers' | 'logged'>;

/** A step of the event; of a replay, one of its dead letter. */
const stepOf = (
  { event, record }: Pick<Task, 'event' | 'record'>,
  at: number,
  step: Pick<SosStep, 'step' | 'parts' | 'object_ids'>,
): SosStep | undefined => {
  const letter = replayedLetter(record.headers);
  return sosStepOf(event, at, { ...step, ...(letter ? { dead_letter: letter } : {}) });
};

/** Creates what tells of accepted SOS events. */
export const createSosDelivery = (
  sosLog: SosLog,
  reporter: Pick<ActivityReporter, 'accepted'>,
  { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
): SosDelivery => ({
  finished(task) {
    const { event, answers } = task;
    const all = partsOf(event);
    const accepted = all.filter((part) => typeof answers[part] === 'string');
    // An earlier try, maybe of another process: what it did not accept is in the dead letters.
    const earlier = all.filter((part) => answers[part] === undefined);
    const now = clock.now();
    const object_ids = accepted.flatMap((part) => answers[part] ?? []);
    if (accepted.length + earlier.length === all.length) {
      const seconds = Math.max(0, now - Date.parse(event.received_at)) / 1_000;
      metrics.observe('relay_sos_acceptance_seconds', seconds);
      reporter.accepted(event, seconds, object_ids);
    }
    const steps = [
      ...(accepted.length > 0 ? [stepOf(task, now, { step: 'accepted', parts: accepted, object_ids })] : []),
      ...(earlier.length > 0 ? [stepOf(task, now, { step: 'settled', parts: earlier })] : []),
    ];
    if (steps.length > 0) task.logged = sosLog.write(steps);
  },
  repeated(task) {
    task.logged = sosLog.write([stepOf(task, clock.now(), { step: 'settled', parts: partsOf(task.event) })]);
  },
});

import { replayedLetter } from '@ranger-relay/bus';
import { type EventPart, partsOf, type SosStep, sosStepOf } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import type { SosLog } from '@ranger-relay/service';
import type { ActivityReporter } from './activity-reporter.ts';
import type { Task } from './task.ts';

/** Tells of each SOS event that the platform has accepted it: to the log of SOS, the activity log and the metrics. */
export interface SosDelivery {
  /**
   * No part of the event is due any more; sets `logged`. A part that another process finished was accepted, or its dead letter says otherwise.
   */
  finished(task: SosTask): void;
  /** The event is recorded as delivered: the process that sent it may have ended before that was logged. Sets `logged`. */
  repeated(task: SosTask): void;
}

type SosTask = Pick<Task, 'event' | 'record' | 'answers' | 'logged'>;

/** The step that these parts were accepted; a replay is the acceptance of its dead letter. */
const acceptance = (
  { event, record }: Pick<Task, 'event' | 'record'>,
  at: number,
  parts: readonly EventPart[],
  objectIds?: readonly string[],
): SosStep | undefined => {
  const letter = replayedLetter(record.headers);
  return sosStepOf(event, at, {
    step: 'accepted',
    parts: [...parts],
    ...(objectIds ? { object_ids: [...objectIds] } : {}),
    ...(letter ? { dead_letter: letter } : {}),
  });
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
    const parts = all.filter((part) => answers[part] !== null);
    if (parts.length === 0) return;
    const now = clock.now();
    const seconds = Math.max(0, now - Date.parse(event.received_at)) / 1_000;
    const objectIds = parts.flatMap((part) => answers[part] ?? []);
    if (parts.length === all.length) {
      metrics.observe('relay_sos_acceptance_seconds', seconds);
      reporter.accepted(event, seconds, objectIds);
    }
    task.logged = sosLog.write([acceptance(task, now, parts, objectIds)]);
  },
  repeated(task) {
    task.logged = sosLog.write([acceptance(task, clock.now(), partsOf(task.event))]);
  },
});

import { replayedLetter } from '@ranger-relay/bus';
import { type EventPart, partsOf, type SosStep, sosStepOf } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import type { SosLog } from '@ranger-relay/service';
import type { ActivityReporter } from './activity-reporter.ts';
import type { Task } from './task.ts';

/** Tells of each SOS event that the platform has accepted it: to the log of SOS, the activity log and the metrics. */
export interface SosDelivery {
  /**
   * No part of the event is due any more. Resolves when that is logged, or after a short wait; never rejects. A part that another process
   * finished was accepted, or its dead letter says otherwise.
   */
  finished(task: Pick<Task, 'event' | 'record' | 'answers'>): Promise<void>;
  /** An SOS event that is marked as done came again: the process that finished it may have ended before that was logged. */
  repeated(tasks: readonly Pick<Task, 'event' | 'record'>[]): Promise<void>;
}

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
  async finished(task) {
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
    await sosLog.write([acceptance(task, now, parts, objectIds)]);
  },
  repeated: (tasks) => sosLog.write(tasks.map((task) => acceptance(task, clock.now(), partsOf(task.event)))),
});

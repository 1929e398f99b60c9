import type { Batch } from '@ranger-relay/bus';
import type { Clock } from '@ranger-relay/runtime';
import { isFinished, type Task } from './task.ts';

/** SOS events in this process that are not yet accepted or dead-lettered. */
export interface SosWatch {
  /** Records the SOS events of a batch, before and after it is handled; finished events are removed. */
  note(batch: Pick<Batch, 'topic' | 'partition'>, tasks: readonly Task[]): void;
  /**
   * How long the oldest event has waited since its receipt, s; 0 when there is none.
   * @param owns whether this process has a partition of a topic; events of other partitions are removed
   */
  oldestAgeSeconds(owns: (topic: string, partition: number) => boolean): number;
}

/** Maximum number of watched events; more would not change the metric's meaning. */
const limit = 10_000;
/** A waiting event is redelivered every few seconds; one not seen for this long was dead-lettered, or another process has it, ms. */
const forgetMs = 30 * 60_000;

interface Waiting {
  readonly topic: string;
  readonly partition: number;
  readonly receivedAt: number;
  /** Monotonic, ms. */
  readonly seenAt: number;
}

/** Creates the watch of one process. */
export const createSosWatch = ({ now, monotonic }: Pick<Clock, 'now' | 'monotonic'>): SosWatch => {
  const waiting = new Map<string, Waiting>();
  return {
    note({ topic, partition }, tasks) {
      const emergencies = tasks.filter(({ event }) => event.sos);
      for (const task of emergencies) if (isFinished(task)) waiting.delete(task.event.event_id);
      // A repeat of a waiting event in the same batch counts as finished.
      for (const task of emergencies) {
        if (isFinished(task) || waiting.size >= limit) continue;
        const receivedAt = Date.parse(task.event.received_at);
        waiting.set(task.event.event_id, { topic, partition, receivedAt, seenAt: monotonic() });
      }
    },
    oldestAgeSeconds(owns) {
      for (const [id, { topic, partition, seenAt }] of waiting)
        if (!owns(topic, partition) || monotonic() - seenAt > forgetMs) waiting.delete(id);
      const oldest = Math.min(...[...waiting.values()].map(({ receivedAt }) => receivedAt));
      return Number.isFinite(oldest) ? Math.max(0, now() - oldest) / 1_000 : 0;
    },
  };
};

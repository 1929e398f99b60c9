import type { Batch } from '@ranger-relay/bus';
import type { Clock } from '@ranger-relay/runtime';
import { isFinished, type Task } from './task.ts';

/** SOS events that this process has in hand and that are neither accepted, parked nor given up. */
export interface SosWatch {
  /** Takes note of the SOS events of a batch, before it is handled and after: those that are finished are forgotten. */
  note(batch: Pick<Batch, 'topic' | 'partition'>, tasks: readonly Task[]): void;
  /**
   * How long the oldest one has waited since its receipt, s; 0 when there is none.
   * @param owns whether this process has a partition of a topic; those of others are forgotten
   */
  oldestAgeSeconds(owns: (topic: string, partition: number) => boolean): number;
}

/** Beyond so many, more of them make no difference to who looks. */
const limit = 10_000;
/** What waits is delivered again at least every ten minutes; what is not seen for so long is in the dead letters, ms. */
const forgetMs = 30 * 60_000;

interface Waiting {
  readonly topic: string;
  readonly partition: number;
  readonly receivedAt: number;
  /** Monotonic, ms. */
  readonly seenAt: number;
}

/** Makes the watch of one process. */
export const createSosWatch = ({ now, monotonic }: Pick<Clock, 'now' | 'monotonic'>): SosWatch => {
  const waiting = new Map<string, Waiting>();
  return {
    note({ topic, partition }, tasks) {
      const emergencies = tasks.filter(({ event }) => event.sos);
      for (const task of emergencies) if (isFinished(task)) waiting.delete(task.event.event_id);
      // A repeat beside the one that waits counts as finished.
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

import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { sosStepSchema, sourceEventKey, topics, type SosStep } from '@ranger-relay/contracts';
import { jsonOf } from '@ranger-relay/errors';
import type { Context } from '@ranger-relay/runtime';

/** Writes what became of SOS events to the topic of SOS steps. */
export interface SosLog {
  /**
   * Resolves when the steps are durable, or dropped because too many others wait; until then they are retried as long as the process runs. Never
   * rejects. Nothing that an SOS waits for may wait for it.
   */
  write(steps: readonly (SosStep | undefined)[]): Promise<void>;
}

const deadlineMs = 4_000;
const retryMs = 10_000;
/** Maximum number of calls to retry; the oldest are dropped. */
const limit = 10_000;

const { name: topic } = topics.sosLog;

/** Dependencies of the log. */
interface SosLogDependencies extends Pick<Context, 'clock'> {
  /** Its condition tells when the topic cannot be written. */
  readonly bus: Pick<Bus, 'publish'>;
}

/** Steps of one call. */
interface Unwritten {
  readonly records: readonly OutgoingRecord[];
  /** Called when they are durable or dropped. */
  readonly settled: () => void;
}

const recordOf = (step: SosStep): OutgoingRecord => ({
  key: sourceEventKey(step.integration_id, step.source),
  value: JSON.stringify(step),
});

/** Creates the log of one process. */
export const createSosLog = ({ bus, clock }: SosLogDependencies): SosLog => {
  let unwritten: readonly Unwritten[] = [];

  const retryLater = (): void =>
    void clock.after(retryMs, () => {
      const calls = unwritten;
      unwritten = [];
      void store(calls);
    });

  const store = async (calls: readonly Unwritten[]): Promise<void> => {
    try {
      await bus.publish(
        topic,
        calls.flatMap(({ records }) => records),
        { deadlineMs },
      );
      for (const { settled } of calls) settled();
    } catch {
      if (unwritten.length === 0) retryLater();
      const waiting = [...unwritten, ...calls];
      for (const { settled } of waiting.slice(0, -limit)) settled();
      unwritten = waiting.slice(-limit);
    }
  };

  return {
    async write(steps) {
      const records = steps.flatMap((step) => (step ? [recordOf(step)] : []));
      if (records.length === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      void store([{ records, settled: resolve }]);
      await promise;
    },
  };
};

/** The step in a record of the topic; undefined when this version cannot read it. */
export const readSosStep = (value: Uint8Array): SosStep | undefined => sosStepSchema.safeParse(jsonOf(value)).data;
